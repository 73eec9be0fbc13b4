// SPDX-License-Identifier: Apache-2.0

extension OgmiosTexts {
  /// German; the form is told at `BuiltInTexts.parsed` in the core.
  static let german = """
    topic.program = Die Anfrage der App wird nicht verstanden
    ! Aktualisieren Sie die App. Wenn es wieder passiert, wenden Sie sich an den Support.
    topic.server = Der Dienst konnte nicht antworten
    ! Versuchen Sie es gleich noch einmal.
    topic.node = Der Dienst hat seine Verbindung verloren
    ! Versuchen Sie es gleich noch einmal.
    topic.operators = Der Dienst kann dies nicht beantworten
    ! Bitten Sie die Betreiber des Dienstes, ihn auf den neuesten Stand zu bringen.
    topic.history = Die Kette ist schon weiter
    ! Beginnen Sie noch einmal an einem früheren Punkt.
    topic.snapshot = Die Ansicht des Ledgers ist zu alt
    ! Laden Sie sie neu.
    topic.syncing = Der Dienst ist noch nicht auf dem neuesten Stand
    ! Warten Sie, bis er aufgeholt hat, und versuchen Sie es dann erneut.
    topic.era = Dies gehört nicht zur aktuellen Ära
    ! Erstellen Sie es für die aktuelle Ära und versuchen Sie es dann erneut.
    topic.script = Ein Skript hat die Transaktion abgelehnt
    ! Prüfen Sie, was das Skript verlangt, und erstellen Sie die Transaktion dann neu.
    topic.signatures = Die Transaktion ist nicht richtig signiert
    ! Signieren Sie sie mit allen Schlüsseln, die sie braucht.
    topic.missing = In der Transaktion fehlt etwas
    ! Ergänzen Sie, was fehlt, und senden Sie sie dann erneut.
    topic.surplus = Die Transaktion enthält Überflüssiges
    ! Nehmen Sie es heraus und senden Sie die Transaktion dann erneut.
    topic.mismatch = Teile der Transaktion passen nicht zusammen
    ! Erstellen Sie die Transaktion neu und senden Sie sie dann.
    topic.inputs = Die Inputs können nicht ausgegeben werden
    ! Wählen Sie andere Inputs und senden Sie die Transaktion dann erneut.
    topic.time = Die Transaktion ist jetzt nicht gültig
    ! Geben Sie ihr einen anderen Zeitraum und senden Sie sie dann erneut.
    topic.size = Die Transaktion ist zu groß
    ! Teilen Sie sie in kleinere auf.
    topic.amounts = Die Beträge gehen nicht auf
    ! Korrigieren Sie die Beträge und senden Sie die Transaktion dann erneut.
    topic.network = Dies gehört zu einem anderen Netzwerk
    ! Verwenden Sie Adressen des Netzwerks, in dem Sie sind.
    topic.collateral = Das Collateral kann nicht verwendet werden
    ! Wählen Sie ein anderes Collateral und senden Sie die Transaktion dann erneut.
    topic.registration = Die Registrierung lässt sich so nicht ändern
    ! Prüfen Sie, was registriert ist, und versuchen Sie es dann erneut.
    topic.pool = Der Stake-Pool lässt sich so nicht ändern
    ! Korrigieren Sie die Angaben zum Pool und versuchen Sie es dann erneut.
    topic.governance = Stimme oder Vorschlag ist nicht zulässig
    ! Korrigieren Sie die Stimme oder den Vorschlag und senden Sie die Transaktion dann erneut.
    topic.rewards = Die Auszahlung ist nicht möglich
    ! Prüfen Sie das Guthaben an Belohnungen und versuchen Sie es dann erneut.
    topic.outcome = Es ist unklar, ob es gesendet wurde
    ! Prüfen Sie, ob es angekommen ist, bevor Sie es noch einmal senden.
    wait =
    ! Warten Sie eine Weile und senden Sie es dann erneut.
    invalid-response = Die Antwort ist nicht lesbar
    > Der Dienst hat in einer Form geantwortet, die die App nicht versteht.
    ! Aktualisieren Sie die App. Wenn es wieder passiert, wenden Sie sich an den Support.
    invalid-format = Dies kann nicht gesendet werden
    > Was gesendet werden sollte, hat nicht die Form, die der Dienst annimmt.
    ! Korrigieren Sie es und versuchen Sie es dann erneut.
    invalid-method = Der Dienst kann dies nicht
    > Dafür ist eine dauerhafte Verbindung nötig, und kein eingerichteter Dienst bietet eine.
    ! Richten Sie einen Dienst mit dauerhaften Verbindungen ein und versuchen Sie es dann erneut.
    minus-32700
    > Der Dienst konnte nicht lesen, was die App gesendet hat.
    minus-32600
    > Der Dienst weiß nicht, worum die App gebeten hat oder wie.
    minus-32601
    > Der Dienst kennt nicht, was die App gefragt hat.
    minus-32603
    > Im Dienst ist etwas Unerwartetes passiert.
    minus-32000
    > Der Dienst hat gerade keine Verbindung zu seinem Node.
    minus-32001
    > Der Node hinter dem Dienst ist für diese Frage zu alt.
    1000
    > Keiner der gefragten Punkte liegt auf der Kette.
    1001
    > Die App hat gleichzeitig nach dem nächsten Block und nach einem neuen Anfang gefragt.
    2000
    > Der Dienst hat den Ledger nicht mehr so, wie er an diesem Punkt war.
    2001
    > Der Dienst ist in einer anderen Ära als der, um die es bei der Frage geht.
    2002
    > Auf diese Frage hat die aktuelle Ära keine Antwort.
    2003
    > Die Ansicht des Ledgers, die die App benutzt hat, ist abgelaufen.
    2004
    > Der Dienst kann nicht lesen, wie das Netzwerk begonnen hat.
    4000
    > Die App muss zuerst die wartenden Transaktionen ansehen, bevor sie nach ihnen fragt.
    minus-32602
    > Die Transaktion ist so geschrieben, dass keine Ära sie versteht.
    3000
    > Die Transaktion stammt aus einer Ära, in der es keine Skripte zum Ausprobieren gibt.
    3001
    > Die Transaktion stammt aus einer Ära, die nicht mehr ausprobiert wird.
    3002
    > Outputs, die mit der Anfrage kamen, sind auch auf der Kette.
    3003
    > Der Dienst ist noch nicht weit genug, um die Transaktion auszuprobieren.
    3004
    > Die Transaktion ist unvollständig, daher lassen sich ihre Skripte nicht ausprobieren.
    3005
    > Die Transaktion stammt aus einer anderen Ära als der Ledger.
    3010
    > Mindestens ein Skript ist ohne Erfolg geendet.
    3011
    > Die Transaktion verweist auf Skripte, die ihr fehlen.
    3012
    > Ein Skript hat die Transaktion geprüft und abgelehnt.
    3013
    > Die Transaktion nennt ein Skript für einen Input, der keines hat.
    3100
    > Einige Signaturen passen nicht zur Transaktion.
    3101
    > Einige nötige Signaturen sind nicht da.
    3102
    > Skripte, die die Transaktion braucht, sind nicht da.
    3103
    > Eine Regel darüber, wer signieren muss oder wann, ist nicht eingehalten.
    3104
    > Es sind Skripte dabei, die die Transaktion nicht benutzt.
    3105
    > Die Metadaten sind da, ihr Hash aber nicht.
    3106
    > Der Hash der Metadaten ist da, die Metadaten aber nicht.
    3107
    > Die Metadaten passen nicht zu ihrem Hash.
    3108
    > Ein Text in den Metadaten ist länger, als der Ledger erlaubt.
    3109
    > Redeemer, die die Skripte bekommen sollen, sind nicht da.
    3110
    > Es sind Redeemer für Skripte dabei, die nicht ausgeführt werden.
    3111
    > Daten, die Skripte brauchen, sind nicht da.
    3112
    > Es sind Daten dabei, die kein Skript benutzt.
    3113
    > Der Hash der Skripte und ihrer Daten ist nicht der, den der Ledger berechnet.
    3114
    > Inputs sind durch Skripte gesperrt und haben keine Daten, daher sind sie nie auszugeben.
    3115
    > Für die Sprache eines Skripts hat der Ledger kein Kostenmodell.
    3116
    > Ein Skript ist so geschrieben, dass es nicht lesbar ist.
    3117
    > Die Inputs sind unbekannt oder schon ausgegeben, vielleicht von genau dieser Transaktion.
    3118
    > Die Transaktion wurde zu früh oder zu spät gesendet.
    3119
    > Die Transaktion ist größer, als der Ledger erlaubt.
    3120
    > Ein Output enthält mehr verschiedene Assets, als erlaubt ist.
    3121
    > Die Transaktion gibt nichts aus.
    3122
    > Die Gebühr ist niedriger, als der Ledger verlangt.
    3123
    > Was hineingeht, ist nicht so viel wie das, was herauskommt.
    3124
    > Etwas in der Transaktion ist für ein anderes Netzwerk bestimmt.
    3125
    > Ein Output enthält weniger Ada, als er muss.
    3126
    > Eine alte Adresse bringt zu viel mit.
    3127
    > Niemand kann Ada erzeugen oder vernichten.
    3128
    > Das Collateral ist zu wenig wert.
    3129
    > Das Collateral ist durch ein Skript gesperrt.
    3130
    > Die Transaktion nennt eine Zeit, die noch zu fern ist, um bekannt zu sein.
    3131
    > Das Collateral hat zu viele Teile.
    3132
    > Skripte sollen ohne Collateral ausgeführt werden.
    3133
    > Das Collateral enthält mehr als Ada.
    3134
    > Die Skripte dürfen mehr verbrauchen, als der Ledger erlaubt.
    3135
    > Die Summe des Collaterals ist nicht die, die angegeben ist.
    3136
    > Ob die Skripte gelingen, ist in der Transaktion anders angegeben, als es ist.
    3137
    > Jemand stimmt ab, der hier nicht abstimmen darf.
    3138
    > Der Vorschlag ist nicht bekannt.
    3139
    > Die Regeln des Netzwerks lassen sich durch diese Transaktion nicht ändern.
    3140
    > Der Stake-Pool ist nicht bekannt.
    3141
    > Belohnungen werden nur im Ganzen ausgezahlt, und nur von registrierten Konten.
    3142
    > Der Pool soll zu spät stillgelegt werden.
    3143
    > Die Kosten des Pools sind niedriger, als sie sein dürfen.
    3144
    > Der Hash der Beschreibung des Pools ist zu lang.
    3145
    > Dies ist schon registriert.
    3146
    > Dies ist noch nicht registriert.
    3147
    > Auf dem Konto sind noch Belohnungen, deshalb kann es nicht geschlossen werden.
    3148
    > Die Genesis-Schlüssel können nicht so delegiert werden.
    3149
    > Die Reserven können nicht so bewegt werden.
    3150
    > Belohnungen werden erst ausgezahlt, wenn ein DRep gewählt ist.
    3151
    > Die Kaution ist nicht die verlangte.
    3152
    > Der DRep ist schon registriert.
    3153
    > Der DRep ist nicht registriert.
    3154
    > Das Mitglied des Komitees ist nicht bekannt oder hat es verlassen.
    3155
    > Die Kaution des Vorschlags ist nicht die verlangte.
    3156
    > Dasselbe Mitglied soll dem Komitee beitreten und es verlassen.
    3157
    > Ein Mitglied soll dem Komitee beitreten, dessen Amtszeit schon vorbei wäre.
    3158
    > Aus der Treasury wird nicht das entnommen, was der Vorschlag sagt.
    3159
    > Der Vorschlag vor diesem fehlt oder ist ein anderer.
    3160
    > Die Zeit zur Abstimmung hierüber ist vorbei.
    3161
    > Ein Skript hat verbraucht, was es bekam, oder bekam mehr, als erlaubt ist.
    3162
    > Das Netzwerk kann nicht zu der vorgeschlagenen Version übergehen.
    3163
    > Der Vorschlag nennt andere Leitplanken als die Verfassung.
    3164
    > Derselbe Output soll ausgegeben und nur gelesen werden.
    3165
    > Vorschläge dieser Art sind noch für niemanden offen.
    3166
    > Die Skripte, auf die verwiesen wird, sind zu groß.
    3167
    > Jemand stimmt ab, der nicht bekannt ist.
    3168
    > Aus der Treasury wird nichts entnommen.
    3169
    > Was vom Collateral übrig bleibt, geht an eine Adresse in einer alten Form.
    3170
    > Ein anderer Pool benutzt denselben Schlüssel.
    3997
    > Der Node hat die Transaktion nicht angenommen, vielleicht weil er sie schon hat.
    3998
    > Der Dienst kennt einen Teil der Transaktion nicht.
    """
}
