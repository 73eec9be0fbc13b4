// SPDX-License-Identifier: Apache-2.0

extension BuiltInTexts {
  /// German; the form is told at ``parsed(_:)``.
  static let german = """
    unknown = Etwas Unerwartetes ist passiert
    > Die App ist auf ein Problem gestoßen, das sie nicht kennt.
    ! Versuchen Sie es erneut. Wenn es wieder passiert, wenden Sie sich an den Support.
    cancelled = Angehalten
    > Der Vorgang wurde angehalten, bevor er fertig war.
    system.busy = Das Gerät ist beschäftigt
    > Das Gerät konnte dies im Moment nicht ausführen.
    ! Versuchen Sie es gleich noch einmal.
    system.exhausted = Das Gerät ist ausgelastet
    > Es ist nicht genug Speicher frei, oder es ist zu viel auf einmal geöffnet.
    ! Schließen Sie, was Sie nicht brauchen, und versuchen Sie es dann erneut.
    outcome-unknown = Es ist unklar, ob es geklappt hat
    > Die Verbindung oder der Dienst ist ausgefallen, bevor dies bestätigt wurde.
    ! Prüfen Sie, ob es angekommen ist, bevor Sie es erneut versuchen.
    network.offline = Keine Internetverbindung
    > Dafür wird eine Verbindung benötigt, und das Gerät hat gerade keine.
    ! Prüfen Sie WLAN oder mobile Daten und versuchen Sie es dann erneut.
    network.unreachable = Der Dienst ist nicht erreichbar
    > Der Dienst hat die Verbindung nicht angenommen.
    ! Versuchen Sie es gleich noch einmal.
    network.host-not-found = Der Dienst wurde nicht gefunden
    > Die Adresse des Dienstes konnte nicht ermittelt werden.
    ! Prüfen Sie die Verbindung und versuchen Sie es dann erneut.
    network.connection-lost = Die Verbindung ist abgebrochen
    > Die Verbindung zum Dienst brach ab, bevor die Antwort vollständig war.
    ! Versuchen Sie es erneut.
    network.timeout = Das dauert zu lange
    > Der Dienst hat nicht rechtzeitig geantwortet.
    ! Versuchen Sie es gleich noch einmal.
    network.portal = Dieses Netzwerk verlangt eine Anmeldung
    > Statt des Dienstes hat eine Anmeldeseite des Netzwerks geantwortet.
    ! Öffnen Sie die Anmeldeseite des Netzwerks und versuchen Sie es dann erneut.
    network.insecure = Die Verbindung ist nicht sicher
    > Der Dienst konnte sich nicht ausweisen, deshalb wurde nichts gesendet.
    ! Prüfen Sie Datum und Uhrzeit des Geräts, oder verwenden Sie ein anderes Netzwerk.
    network.secure-connection-failed = Keine sichere Verbindung möglich
    > Der Dienst und dieses Gerät konnten sich nicht auf eine sichere Verbindung einigen.
    ! Versuchen Sie es erneut, oder verwenden Sie ein anderes Netzwerk.
    network.bad-address = Die Adresse ist nicht brauchbar
    > Die App wollte eine Adresse erreichen, die nicht funktioniert.
    ! Aktualisieren Sie die App. Wenn es wieder passiert, wenden Sie sich an den Support.
    network.bad-answer = Die Antwort ist nicht lesbar
    > Der Dienst hat auf eine Weise geantwortet, die die App nicht versteht.
    ! Aktualisieren Sie die App. Wenn es wieder passiert, wenden Sie sich an den Support.
    network.sign-in-required = Anmeldung erforderlich
    > Der Dienst muss wissen, wer Sie sind.
    ! Melden Sie sich an und versuchen Sie es dann erneut.
    network.failed = Die Verbindung ist fehlgeschlagen
    > Zwischen diesem Gerät und dem Dienst ist etwas schiefgegangen.
    ! Prüfen Sie die Verbindung und versuchen Sie es dann erneut.
    storage.full = Nicht genug Speicherplatz
    > Es ist kein Platz mehr, um dies zu sichern.
    ! Schaffen Sie Platz und versuchen Sie es dann erneut.
    storage.denied = Keine Berechtigung
    > Die App darf diese Datei nicht lesen oder schreiben.
    ! Erlauben Sie den Zugriff auf die Datei oder den Ordner und versuchen Sie es dann erneut.
    storage.read-only = Dieser Ort ist schreibgeschützt
    > Dort kann nichts gesichert werden.
    ! Wählen Sie einen anderen Ort zum Sichern.
    storage.not-found = Die Datei fehlt
    > Die Datei ist nicht dort, wo sie erwartet wurde.
    ! Vielleicht wurde sie bewegt oder gelöscht. Suchen Sie sie, oder wählen Sie eine andere Datei.
    storage.exists = Die Datei ist schon vorhanden
    > Eine Datei mit diesem Namen gibt es bereits.
    ! Wählen Sie einen anderen Namen.
    storage.too-large = Die Datei ist zu groß
    > Die App kann mit einer Datei dieser Größe nicht arbeiten.
    ! Wählen Sie eine kleinere Datei.
    storage.in-use = Die Datei wird gerade benutzt
    > Etwas anderes arbeitet mit der Datei.
    ! Schließen Sie, was die Datei benutzt, und versuchen Sie es dann erneut.
    storage.corrupted = Die Datei ist beschädigt
    > Was gesichert wurde, ist nicht mehr lesbar.
    ! Verwenden Sie eine ältere Kopie, wenn es eine gibt.
    storage.failed = Lesen oder Schreiben nicht möglich
    > Der Speicher des Geräts hat nicht richtig reagiert.
    ! Versuchen Sie es erneut. Wenn es wieder passiert, prüfen Sie den Speicher.
    storage.bad-name = Der Name ist nicht möglich
    > Eine Datei kann diesen Namen nicht haben.
    ! Wählen Sie einen anderen Namen.
    data.decoding = Die Daten sind nicht lesbar
    > Die Daten haben eine Form, die die App nicht versteht.
    ! Aktualisieren Sie die App. Wenn es wieder passiert, wenden Sie sich an den Support.
    data.encoding = Dies konnte nicht vorbereitet werden
    > Die App konnte dies nicht in die Form bringen, in der es gesichert oder gesendet wird.
    ! Ändern Sie Ihre Eingabe, oder wenden Sie sich an den Support.
    http.sign-in = Bitte erneut anmelden
    > Sie sind nicht angemeldet, oder Ihre Anmeldung ist abgelaufen.
    ! Melden Sie sich an und versuchen Sie es dann erneut.
    http.denied = Das ist nicht erlaubt
    > Ihr Account darf dies nicht.
    ! Bitten Sie den Eigentümer um Zugriff, oder verwenden Sie einen anderen Account.
    http.missing = Das ist nicht mehr vorhanden
    > Der Dienst hat nicht, wonach gefragt wurde.
    ! Vielleicht wurde es gelöscht. Aktualisieren Sie, um zu sehen, was vorhanden ist.
    http.conflict = An zwei Orten geändert
    > Jemand anderes hat dies in der Zwischenzeit geändert.
    ! Vergleichen Sie beide Versionen und wählen Sie, was bleiben soll.
    http.changed = Dies wurde inzwischen geändert
    > Was jetzt da ist, passt nicht mehr zu dem, worum gebeten wurde.
    ! Laden Sie es neu, und wiederholen Sie dann Ihre Änderung.
    http.running = Noch in Arbeit
    > Der Dienst arbeitet noch an derselben Anfrage.
    ! Warten Sie einen Moment; es muss nicht noch einmal gesendet werden.
    http.failing = Der Dienst hat ein Problem
    > Der Dienst konnte gerade nicht antworten. Es liegt nicht an Ihnen.
    ! Versuchen Sie es gleich noch einmal.
    http.throttled = Zu viele Anfragen
    > Der Dienst bittet, langsamer zu machen.
    ! Versuchen Sie es gleich noch einmal.
    http.too-large = Das ist zu groß
    > Der Dienst nimmt nichts von dieser Größe an.
    ! Wählen Sie etwas Kleineres.
    http.unacceptable = Der Dienst kann dies nicht annehmen
    > Etwas an dem, was gesendet wurde, kann der Dienst nicht annehmen.
    ! Prüfen Sie Ihre Eingabe.
    http.unsupported = Der Dienst kann dies nicht
    > Der Dienst unterstützt nicht, worum die App gebeten hat.
    ! Aktualisieren Sie die App. Wenn es wieder passiert, wenden Sie sich an den Support.
    http.refused = Der Dienst hat dies abgelehnt
    > Der Dienst hat die Anfrage der App nicht angenommen.
    ! Aktualisieren Sie die App. Wenn es wieder passiert, wenden Sie sich an den Support.
    wait =
    ! Warten Sie {0}, bevor Sie es erneut versuchen.
    sql.contended = Jemand anderes war schneller
    > Im selben Moment wurde etwas anderes geändert, deshalb wurde dies nicht ausgeführt.
    ! Versuchen Sie es erneut.
    sql.duplicate = Das ist schon vorhanden
    > Etwas mit demselben Namen oder derselben Nummer gibt es bereits.
    ! Ändern Sie Ihre Eingabe und versuchen Sie es dann erneut.
    sql.unfit = Dies kann nicht gespeichert werden
    > Es passt nicht zu dem, was auf diesem Gerät schon gespeichert ist.
    ! Ändern Sie Ihre Eingabe und versuchen Sie es dann erneut.
    sql.not-found = Das ist nicht mehr da
    > In den Daten der App fehlt, was geändert werden sollte.
    ! Vielleicht wurde es gelöscht. Gehen Sie zurück und sehen Sie noch einmal nach.
    policy.no-time-left = Es war keine Zeit mehr
    > Es hat vorher so lange gedauert, dass dies nicht mehr versucht werden konnte.
    ! Versuchen Sie es gleich noch einmal.
    policy.foreign-error = Etwas ist schiefgegangen
    > Dies hat nicht geklappt, und die App konnte nicht herausfinden, warum.
    ! Versuchen Sie es gleich noch einmal.
    policy.not-tried = Dies wurde nicht versucht
    > Die App hat dies gerade nicht versucht.
    ! Versuchen Sie es gleich noch einmal.
    policy.throttled = Der Dienst ist überlastet
    > Der Dienst hat zuletzt vieles abgelehnt, deshalb sendet die App kurz weniger.
    ! Versuchen Sie es gleich noch einmal.
    policy.cooling-down = Der Dienst bittet um eine Pause
    > Der Dienst hat die App gebeten zu warten, bevor sie mehr sendet.
    ! Versuchen Sie es gleich noch einmal.
    policy.limit-reached = Der Dienst ist beschäftigt
    > Der Dienst hat für diese App gerade so viel zu tun, wie er bewältigen kann.
    ! Versuchen Sie es gleich noch einmal.
    policy.rejected = Der Dienst macht eine Pause
    > Der Dienst hatte gerade Probleme, deshalb lässt die App ihn kurz in Ruhe.
    ! Versuchen Sie es gleich noch einmal.
    policy.waited-too-long = Es kam nicht rechtzeitig an die Reihe
    > Die App tut so viel auf einmal, dass dies zu lange gewartet hat.
    ! Versuchen Sie es gleich noch einmal.
    policy.rate-limited = Zu oft in kurzer Zeit
    > Die App hat dies so oft getan, wie sie es im Moment darf.
    ! Versuchen Sie es gleich noch einmal.
    policy.cost-too-high = Zu viel auf einmal
    > Das ist mehr, als die App auf einmal anfordern darf.
    ! Fordern Sie weniger auf einmal an.
    policy.full = Zu viel auf einmal
    > Die App tut so viel gleichzeitig, wie sie darf, deshalb wurde dies nicht begonnen.
    ! Versuchen Sie es gleich noch einmal.
    policy.unacceptable-result = Noch nicht fertig
    > Der Dienst ist noch nicht mit dem fertig, worum er gebeten wurde.
    ! Versuchen Sie es gleich noch einmal.
    configuration.invalid = Etwas ist falsch eingestellt
    > Eine Einstellung hat einen unbrauchbaren Wert, deshalb funktioniert dieser Teil nicht.
    ! Bitte sagen Sie es denen, die diese App oder diesen Dienst betreiben.
    framework.state-corruption = In der App ist etwas beschädigt
    > Was die App sich gemerkt hat, passt nicht mehr zusammen.
    ! Öffnen Sie die App erneut. Wenn es wieder passiert, wenden Sie sich an den Support.
    defect = Die App hat etwas falsch gemacht
    > In der App hat etwas nicht so funktioniert, wie es soll. Es liegt nicht an Ihnen.
    ! Öffnen Sie die App erneut. Wenn es wieder passiert, wenden Sie sich an den Support.
    framework.performance-threshold = Das braucht mehr, als es sollte
    > Die App hat dafür mehr Zeit oder Speicher gebraucht, als sie darf.
    ! Schließen Sie, was Sie nicht brauchen, und versuchen Sie es dann erneut.
    client.invalid-state = Das ist jetzt nicht möglich
    > Die App ist nicht in einem Zustand, in dem sie dies kann.
    ! Beenden Sie, was offen ist, und versuchen Sie es dann erneut.
    client.update-failed = Die Änderung war nicht möglich
    > Die App ist bei der Änderung auf ein Problem gestoßen.
    ! Versuchen Sie es erneut. Wenn es wieder passiert, wenden Sie sich an den Support.
    client.change-refused = Diese Änderung ist nicht möglich
    > Sie passt nicht zu dem, was schon da ist; deshalb bleibt alles, wie es war.
    ! Versuchen Sie es anders, oder ändern Sie zuerst etwas anderes.
    client.actor-gone = Das ist nicht mehr offen
    > Der Teil der App, der dies getan hat, wurde inzwischen geschlossen.
    ! Öffnen Sie es erneut und versuchen Sie es dann noch einmal.
    context.binding-failed = Ihre Eingabe wurde nicht übernommen
    > Die App konnte Ihre Eingabe in einem der Felder nicht behalten.
    ! Geben Sie es erneut ein. Wenn es wieder passiert, wenden Sie sich an den Support.
    context.orchestration-failed = Nicht alles wurde erledigt
    > Mehrere Teile der App arbeiten daran zusammen, und einige wurden nicht fertig.
    ! Prüfen Sie, was erledigt wurde, bevor Sie es erneut versuchen.
    context.observation-failed = Dies bleibt nicht aktuell
    > Die App bemerkt nicht mehr, wenn sich dies ändert.
    ! Aktualisieren Sie, oder öffnen Sie die App erneut.
    context.update-failed = Die Ansicht ist nicht aktuell
    > Was Sie sehen, ist vielleicht älter als das, was gesichert ist.
    ! Aktualisieren Sie, oder öffnen Sie die App erneut.
    capability.unavailable = Das ist nicht verfügbar
    > Dieses Gerät oder diese App kann dies nicht, oder gerade nicht.
    ! Gehen Sie anders vor, oder versuchen Sie es später.
    capability.requirement-not-met = Es fehlt noch etwas
    > Die App braucht noch etwas, bevor sie dies tun kann.
    ! Prüfen Sie die Einstellungen und versuchen Sie es dann erneut.
    capability.validation-timeout = Dies war nicht rechtzeitig zu prüfen
    > Die App konnte nicht rechtzeitig herausfinden, ob dies funktioniert.
    ! Versuchen Sie es gleich noch einmal.
    capability.execution-failed = Das hat nicht geklappt
    > Die App hat damit begonnen, konnte es aber nicht beenden.
    ! Versuchen Sie es erneut. Wenn es wieder passiert, wenden Sie sich an den Support.
    capability.fallback-unavailable = Im Moment gibt es keinen anderen Weg
    > Dies funktioniert nicht, und auch der Ersatz dafür nicht.
    ! Versuchen Sie es später. Vielleicht müssen Sie Ihre Eingaben wiederholen.
    service.not-configured = Das ist noch nicht eingerichtet
    > Der Dienst braucht einige Einstellungen, bevor er benutzt werden kann.
    ! Richten Sie ihn ein und versuchen Sie es dann erneut.
    service.streaming = Die Antwort ist abgebrochen
    > Der Dienst hat aufgehört, bevor seine Antwort vollständig war.
    ! Versuchen Sie es erneut.
    data.save-failed = Dies konnte nicht gesichert werden
    > Die App konnte Ihre Änderungen nicht behalten.
    ! Versuchen Sie es erneut. Lassen Sie dies offen, bis es gesichert ist.
    data.fetch-failed = Dies konnte nicht geladen werden
    > Die App konnte nicht lesen, was gesichert wurde.
    ! Versuchen Sie es erneut. Wenn es wieder passiert, wenden Sie sich an den Support.
    data.migration-failed = Ihre Daten sind noch nicht umgestellt
    > Was gesichert wurde, hat noch die Form einer älteren Version der App.
    ! Aktualisieren Sie die App. Wenn es wieder passiert, wenden Sie sich an den Support.
    recognition.unrecognised = Nicht erkannt
    > Die App weiß nicht, was auf dem Bild ist.
    ! Zeigen Sie es von einer anderen Seite, oder geben Sie es von Hand ein.
    recognition.low-confidence = Das könnte etwas anderes sein
    > Die App ist nicht sicher, was auf dem Bild ist.
    ! Halten Sie das Gerät ruhig und näher, oder geben Sie es von Hand ein.
    recognition.too-dark = Es ist zu dunkel
    > Für die Kamera ist nicht genug Licht da.
    ! Machen Sie Licht und versuchen Sie es dann erneut.
    recognition.too-far = Es ist zu weit weg
    > Was die Kamera sieht, ist zu klein, um es zu erkennen.
    ! Gehen Sie näher heran und versuchen Sie es dann erneut.
    recognition.model-failed = Die Erkennung ist nicht verfügbar
    > Die App konnte nicht laden, was sie zum Erkennen braucht.
    ! Öffnen Sie die App erneut, oder geben Sie es von Hand ein.
    app.health-denied = Kein Zugriff auf Gesundheitsdaten
    > Die App darf Ihre Gesundheitsdaten nicht lesen.
    ! Erlauben Sie den Zugriff in den Einstellungen und versuchen Sie es dann erneut.
    app.camera-denied = Kein Zugriff auf die Kamera
    > Die App darf die Kamera nicht benutzen.
    ! Erlauben Sie den Zugriff in den Einstellungen und versuchen Sie es dann erneut.
    app.user-missing = Ihr Account wurde nicht gefunden
    > Die App weiß nicht, wessen Daten dies sind.
    ! Melden Sie sich an und versuchen Sie es dann erneut.
    app.unsupported-provider = Dieser Anbieter ist nicht möglich
    > Die App arbeitet nicht mit „{0}“.
    ! Wählen Sie einen anderen Anbieter.
    outbox.unavailable = Der Speicher lässt sich nicht öffnen
    > Der Ort für Ihre Änderungen kann nicht gelesen oder beschrieben werden.
    ! Prüfen Sie, ob es den Ordner gibt und ob die App dort schreiben darf.
    outbox.device-locked = Das Gerät ist gesperrt
    > Gesicherte Änderungen sind erst lesbar, wenn es entsperrt wurde.
    ! Entsperren Sie das Gerät und versuchen Sie es dann erneut.
    outbox.disk-full = Nicht genug Speicherplatz
    > Es ist kein Platz mehr, um Ihre Änderung zu sichern.
    ! Schaffen Sie Platz und versuchen Sie es dann erneut.
    outbox.newer-format = Ihre Änderungen brauchen eine neuere Version
    > Die gesicherten Änderungen stammen von einer neueren Version der App.
    ! Aktualisieren Sie die App; es wurde nichts geändert und nichts ging verloren.
    outbox.corrupted = Gesicherte Änderungen sind beschädigt
    > Einige gesicherte Änderungen sind nicht mehr lesbar.
    ! Öffnen Sie die App erneut; was lesbar ist, bleibt erhalten.
    outbox.busy = Der Speicher wird gerade benutzt
    > Etwas anderes arbeitet mit den gesicherten Änderungen.
    ! Versuchen Sie es gleich noch einmal.
    outbox.full = Zu viele Änderungen warten
    > Es können keine weiteren Änderungen behalten werden, bis einige gesendet sind.
    ! Stellen Sie eine Verbindung her und versuchen Sie es dann erneut.
    outbox.too-large = Das ist zu groß
    > Eine Änderung dieser Größe kann nicht behalten werden.
    ! Wählen Sie etwas Kleineres.
    outbox.unencodable = Ihre Änderung wurde nicht gesichert
    > Sie lässt sich nicht in eine Form bringen, die gesichert werden kann.
    ! Prüfen Sie Ihre Eingabe.
    outbox.changed-meanwhile = Das hat sich inzwischen geändert
    > Im selben Moment wurde etwas anderes damit gemacht.
    ! Versuchen Sie es noch einmal.
    outbox.duplicate = Das wartet bereits
    > Dasselbe wurde schon verlangt und ist noch nicht erledigt.
    ! Warten Sie, bis es erledigt ist.
    outbox.key-reused = Das wurde bereits gesendet
    > Unter demselben Schlüssel wurde zuvor etwas anderes gesendet.
    ! Senden Sie es noch einmal als etwas Neues.
    outbox.snoozed = Das wird später erledigt
    > Jetzt ist nicht der richtige Zeitpunkt; es wird von selbst erneut versucht.
    ! Sie müssen nichts tun.
    outbox.shut-down = Die App wird gerade geschlossen
    > Änderungen werden nicht mehr angenommen.
    ! Öffnen Sie die App erneut.
    outbox.duplicate-worker = Die App ist falsch eingerichtet
    > Zwei Teile der App tun dieselbe Arbeit.
    ! Sagen Sie es den Herstellern der App.
    outbox.unreadable-payload = Eine gesicherte Änderung ist nicht lesbar
    > Sie stammt von einer anderen Version der App und bleibt erhalten, bis sie gelesen werden kann.
    ! Aktualisieren Sie die App.
    outbox.failed = Ihre Änderung wurde nicht gesichert
    > Der Speicher dieses Geräts hat nicht richtig reagiert.
    ! Versuchen Sie es erneut.
    outbox.waiting.running = Wird gesendet
    outbox.waiting.later = Wird später gesendet
    outbox.waiting.again = Wird erneut versucht
    outbox.waiting.turn = Wartet, bis es an der Reihe ist
    outbox.waiting.other = Wartet auf eine abgelehnte Änderung
    outbox.waiting.person = Wartet auf Ihre Anmeldung oder Eingabe
    outbox.waiting.service = Wartet auf den Dienst
    outbox.waiting.paused = Angehalten
    outbox.waiting.conditions = Wartet etwa auf ein Netz
    outbox.waiting.update = Wartet auf ein Update der App
    outbox.waiting.conflict = Wartet auf Ihre Wahl einer Version
    outbox.waiting.given-up = Konnte nicht gesendet werden
    validation = Bitte prüfen Sie Ihre Eingabe
    help
    ! Lesen Sie hier mehr dazu: {0}
    @retry Erneut versuchen
    @dismiss Schließen
    @sign-in Anmelden
    @open-settings Einstellungen öffnen
    @open-portal Anmeldeseite öffnen
    @free-space Platz schaffen
    @resolve-conflict Version wählen
    @reload Neu laden
    @check-outcome Erneut prüfen
    @help Hilfe
    """
}
