// SPDX-License-Identifier: Apache-2.0

extension BuiltInTexts {
  /// French, for what screens say besides errors.
  static let frenchScreens = """
    connection.connected
    > Connecté
    connection.back
    > De nouveau connecté
    connection.reconnecting
    > Reconnexion en cours
    connection.disconnected
    > Aucune connexion
    connection.failed
    > Il y a un réseau, mais rien ne passe.
    connection.portal
    > Le réseau demande de s’identifier.
    view.warning
    > Avertissement
    view.error
    > Erreur
    view.recovering
    > Tentative de résolution en cours…
    need.memory
    > L’appareil manque de mémoire : seul l’essentiel fonctionne.
    need.processor
    > L’appareil est très occupé : seul l’essentiel fonctionne.
    need.heat
    > L’appareil est trop chaud : seul l’essentiel fonctionne. Laissez-le refroidir.
    need.network
    > Il n’y a pas de connexion. Ce qui fonctionne sans elle reste utilisable.
    need.storage
    > Rien ne peut être enregistré pour le moment.
    need.analytics
    > Un service dont l’app dépend n’est pas disponible.
    need.camera
    > L’appareil photo ne peut pas être utilisé.
    need.location
    > L’app ne sait pas où se trouve l’appareil.
    need.notifications
    > L’app ne peut pas afficher de notifications.
    need.none
    > Tout fonctionne à nouveau.
    need.fewer
    > Davantage de choses fonctionnent, mais pas encore tout.
    form.empty
    > Ce champ est vide.
    ! Remplissez-le pour continuer.
    form.not-accepted
    > Ce n’est pas encore accepté.
    ! Acceptez pour continuer.
    form.email
    > Ce n’est pas une adresse e-mail.
    ! Saisissez une adresse comme {0}.
    form.different
    > Les deux saisies sont différentes.
    ! Saisissez la même chose dans les deux champs.
    form.pattern
    > Ce n’est pas la forme attendue.
    ! Vérifiez qu’il n’y a pas de faute de frappe.
    form.whole-number
    > Ce n’est pas un nombre entier.
    ! N’utilisez que des chiffres.
    form.unacceptable
    > Ceci ne peut pas être accepté.
    ! Vérifiez qu’il n’y a pas de faute de frappe.
    form.too-short
    > C’est trop court.
    ! Saisissez au moins {0} caractères.
    form.one-character
    > C’est trop long.
    ! Saisissez un seul caractère.
    form.too-long
    > C’est trop long.
    ! Saisissez au plus {0} caractères.
    form.too-small
    > C’est trop bas.
    ! La valeur la plus basse est {0}.
    form.too-large
    > C’est trop élevé.
    ! La valeur la plus élevée est {0}.
    form.not-below
    > C’est trop élevé.
    ! Saisissez moins de {0}.
    form.too-early
    > Cette date arrive trop tôt.
    ! La première date possible est le {0}.
    form.too-late
    > Cette date arrive trop tard.
    ! La dernière date possible est le {0}.
    form.not-before
    > Cette date arrive trop tard.
    ! Elle doit précéder le {0}.
    form.too-young
    > Vous devez avoir au moins {0} ans.
    ! Vérifiez l’âge que vous avez saisi.
    form.born-too-late
    ! Vérifiez la date de naissance que vous avez saisie.
    form.too-few
    > Trop peu d’éléments sont choisis.
    ! Choisissez-en au moins {0}.
    form.too-many
    > Trop d’éléments sont choisis.
    ! Choisissez-en au plus {0}.
    form.checking
    > Vérification en cours.
    form.unchecked
    > Ceci n’a pas pu être vérifié. Vous pouvez continuer.
    form.refused
    > Votre saisie n’a pas été acceptée.
    form.one-mistake = Une saisie demande votre attention
    form.mistakes = {0} saisies demandent votre attention
    form.line
    > {0} : {1}
    form.full-line
    > {0} : {1} {2}
    """
}
