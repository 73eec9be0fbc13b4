// SPDX-License-Identifier: Apache-2.0

extension BuiltInTexts {
  /// German, for what screens say besides errors.
  static let germanScreens = """
    connection.connected
    > Verbunden
    connection.back
    > Wieder verbunden
    connection.reconnecting
    > Verbindung wird wiederhergestellt
    connection.disconnected
    > Keine Verbindung
    connection.failed
    > Ein Netz ist da, aber nichts kommt durch.
    connection.portal
    > Das Netz verlangt eine Anmeldung.
    view.warning
    > Warnung
    view.error
    > Fehler
    view.recovering
    > Es wird versucht, das zu beheben …
    need.memory
    > Auf dem Gerät ist wenig Arbeitsspeicher frei, deshalb geht nur das Wichtigste.
    need.processor
    > Das Gerät ist stark ausgelastet, deshalb geht nur das Wichtigste.
    need.heat
    > Das Gerät ist zu heiß, deshalb geht nur das Wichtigste. Lassen Sie es abkühlen.
    need.network
    > Es gibt keine Verbindung. Was ohne sie geht, können Sie nutzen.
    need.storage
    > Im Moment kann nichts gesichert werden.
    need.analytics
    > Ein Dienst, auf den die App sich verlässt, ist nicht da.
    need.camera
    > Die Kamera kann nicht benutzt werden.
    need.location
    > Die App weiß nicht, wo das Gerät ist.
    need.notifications
    > Die App kann keine Mitteilungen zeigen.
    need.none
    > Alles geht wieder.
    need.fewer
    > Es geht wieder mehr, aber noch nicht alles.
    form.empty
    > Hier steht noch nichts.
    ! Füllen Sie es aus, um fortzufahren.
    form.not-accepted
    > Dem wurde noch nicht zugestimmt.
    ! Stimmen Sie zu, um fortzufahren.
    form.email
    > Das ist keine E-Mail-Adresse.
    ! Geben Sie eine wie {0} ein.
    form.different
    > Die beiden Eingaben sind verschieden.
    ! Geben Sie beide Male dasselbe ein.
    form.pattern
    > Das hat nicht die erwartete Form.
    ! Prüfen Sie es auf Tippfehler.
    form.whole-number
    > Das ist keine ganze Zahl.
    ! Verwenden Sie nur Ziffern.
    form.unacceptable
    > Das wird nicht angenommen.
    ! Prüfen Sie es auf Tippfehler.
    form.too-short
    > Das ist zu kurz.
    ! Geben Sie mindestens {0} Zeichen ein.
    form.one-character
    > Das ist zu lang.
    ! Geben Sie ein einzelnes Zeichen ein.
    form.too-long
    > Das ist zu lang.
    ! Geben Sie höchstens {0} Zeichen ein.
    form.too-small
    > Das ist zu niedrig.
    ! Der niedrigste Wert ist {0}.
    form.too-large
    > Das ist zu hoch.
    ! Der höchste Wert ist {0}.
    form.not-below
    > Das ist zu hoch.
    ! Geben Sie weniger als {0} ein.
    form.too-early
    > Dieses Datum liegt zu früh.
    ! Das früheste ist {0}.
    form.too-late
    > Dieses Datum liegt zu spät.
    ! Das späteste ist {0}.
    form.not-before
    > Dieses Datum liegt zu spät.
    ! Es muss vor dem {0} liegen.
    form.too-young
    > Sie müssen mindestens {0} Jahre alt sein.
    ! Prüfen Sie das eingegebene Alter.
    form.born-too-late
    ! Prüfen Sie das eingegebene Geburtsdatum.
    form.too-few
    > Es ist zu wenig ausgewählt.
    ! Wählen Sie mindestens {0} aus.
    form.too-many
    > Es ist zu viel ausgewählt.
    ! Wählen Sie höchstens {0} aus.
    form.checking
    > Das wird gerade geprüft.
    form.unchecked
    > Das war nicht zu prüfen. Sie können fortfahren.
    form.refused
    > Die Eingaben wurden nicht angenommen.
    form.one-mistake = Eine Eingabe braucht Ihre Aufmerksamkeit
    form.mistakes = {0} Eingaben brauchen Ihre Aufmerksamkeit
    form.line
    > {0}: {1}
    form.full-line
    > {0}: {1} {2}
    """
}
