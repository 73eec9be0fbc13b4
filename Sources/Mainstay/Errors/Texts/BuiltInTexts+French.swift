// SPDX-License-Identifier: Apache-2.0

extension BuiltInTexts {
  /// French; the form is told at ``parsed(_:)``.
  static let french = """
    unknown = Un imprévu s’est produit
    > L’app a rencontré un problème qu’elle ne connaît pas.
    ! Réessayez. Si cela se reproduit, contactez l’assistance.
    cancelled = Arrêté
    > L’opération a été arrêtée avant la fin.
    system.busy = L’appareil est occupé
    > L’appareil n’a pas pu faire cela pour le moment.
    ! Réessayez dans un instant.
    system.exhausted = L’appareil manque de ressources
    > Il n’y a pas assez de mémoire, ou trop de choses sont ouvertes à la fois.
    ! Fermez ce dont vous n’avez pas besoin, puis réessayez.
    outcome-unknown = Le résultat n’est pas connu
    > La connexion ou le service a échoué avant de confirmer l’opération.
    ! Vérifiez si l’opération a abouti avant de réessayer.
    network.offline = Vous êtes hors ligne
    > Une connexion est nécessaire, et l’appareil n’en a pas actuellement.
    ! Vérifiez le Wi-Fi ou les données mobiles, puis réessayez.
    network.unreachable = Le service est injoignable
    > Le service n’a pas accepté la connexion.
    ! Réessayez dans un instant.
    network.host-not-found = Le service est introuvable
    > L’adresse du service n’a pas pu être trouvée.
    ! Vérifiez votre connexion, puis réessayez.
    network.connection-lost = La connexion a été perdue
    > La connexion au service a été coupée avant la fin de la réponse.
    ! Réessayez.
    network.timeout = L’opération prend trop de temps
    > Le service n’a pas répondu à temps.
    ! Réessayez dans un instant.
    network.portal = Ce réseau demande une connexion
    > Une page de connexion du réseau a répondu à la place du service.
    ! Ouvrez la page de connexion du réseau, puis réessayez.
    network.insecure = La connexion n’est pas sécurisée
    > Le service n’a pas pu prouver son identité ; rien n’a donc été envoyé.
    ! Vérifiez la date et l’heure de cet appareil, ou utilisez un autre réseau.
    network.secure-connection-failed = Connexion sécurisée impossible
    > Le service et cet appareil n’ont pas pu établir de connexion sécurisée.
    ! Réessayez, ou utilisez un autre réseau.
    network.bad-address = L’adresse est inutilisable
    > L’app a essayé d’utiliser une adresse qui ne fonctionne pas.
    ! Mettez l’app à jour. Si cela se reproduit, contactez l’assistance.
    network.bad-answer = La réponse est illisible
    > Le service a répondu d’une manière que l’app ne comprend pas.
    ! Mettez l’app à jour. Si cela se reproduit, contactez l’assistance.
    network.sign-in-required = Identification requise
    > Le service doit savoir qui vous êtes.
    ! Identifiez-vous, puis réessayez.
    network.failed = La connexion a échoué
    > Un problème est survenu entre cet appareil et le service.
    ! Vérifiez votre connexion, puis réessayez.
    storage.full = Espace insuffisant
    > Il n’y a plus de place pour enregistrer ceci.
    ! Libérez de l’espace, puis réessayez.
    storage.denied = Autorisation manquante
    > L’app ne peut ni lire ni modifier ce fichier.
    ! Autorisez l’accès au fichier ou au dossier, puis réessayez.
    storage.read-only = Emplacement en lecture seule
    > Rien ne peut être enregistré à cet endroit.
    ! Choisissez un autre emplacement.
    storage.not-found = Le fichier est introuvable
    > Le fichier n’est pas à l’endroit prévu.
    ! Il a peut-être été déplacé ou supprimé. Cherchez-le, ou choisissez un autre fichier.
    storage.exists = Le fichier existe déjà
    > Un fichier porte déjà ce nom.
    ! Choisissez un autre nom.
    storage.too-large = Le fichier est trop volumineux
    > L’app ne peut pas utiliser un fichier de cette taille.
    ! Choisissez un fichier plus petit.
    storage.in-use = Le fichier est en cours d’utilisation
    > Quelque chose d’autre utilise ce fichier.
    ! Fermez ce qui utilise le fichier, puis réessayez.
    storage.corrupted = Le fichier est endommagé
    > Les données enregistrées ne sont plus lisibles.
    ! Utilisez une copie plus ancienne s’il y en a une.
    storage.failed = Lecture ou écriture impossible
    > Le stockage de l’appareil n’a pas répondu correctement.
    ! Réessayez. Si cela se reproduit, vérifiez le stockage.
    storage.bad-name = Ce nom ne peut pas être utilisé
    > Un fichier ne peut pas porter ce nom.
    ! Choisissez un autre nom.
    data.decoding = Les données sont illisibles
    > Les données ont une forme que l’app ne comprend pas.
    ! Mettez l’app à jour. Si cela se reproduit, contactez l’assistance.
    data.encoding = La préparation a échoué
    > L’app n’a pas pu préparer ceci pour l’enregistrement ou l’envoi.
    ! Modifiez votre saisie, ou contactez l’assistance.
    http.sign-in = Veuillez vous identifier à nouveau
    > Vous n’êtes pas identifié, ou votre session a expiré.
    ! Identifiez-vous, puis réessayez.
    http.denied = Cela n’est pas autorisé
    > Votre compte n’y est pas autorisé.
    ! Demandez l’accès au propriétaire, ou utilisez un autre compte.
    http.missing = Cet élément n’existe plus
    > Le service n’a pas ce qui a été demandé.
    ! L’élément a peut-être été supprimé. Actualisez pour voir ce qui existe.
    http.conflict = Modifié à deux endroits
    > Quelqu’un d’autre a modifié ceci entre-temps.
    ! Comparez les deux versions et choisissez ce qu’il faut garder.
    http.changed = Ceci a été modifié entre-temps
    > Ce qui est là maintenant ne correspond plus à ce qui était demandé.
    ! Rechargez, puis refaites votre modification.
    http.running = Toujours en cours
    > Le service traite encore la même demande.
    ! Patientez un instant ; un nouvel envoi n’est pas nécessaire.
    http.failing = Le service a un problème
    > Le service n’a pas pu répondre. Vous n’y êtes pour rien.
    ! Réessayez dans un instant.
    http.throttled = Trop de demandes
    > Le service demande de ralentir.
    ! Réessayez dans un instant.
    http.too-large = C’est trop volumineux
    > Le service n’accepte rien de cette taille.
    ! Choisissez quelque chose de plus petit.
    http.unacceptable = Le service ne peut pas accepter ceci
    > Une partie de ce qui a été envoyé n’est pas acceptable pour le service.
    ! Vérifiez votre saisie.
    http.unsupported = Le service ne peut pas faire cela
    > Le service ne prend pas en charge ce que l’app a demandé.
    ! Mettez l’app à jour. Si cela se reproduit, contactez l’assistance.
    http.refused = Le service a refusé
    > Le service n’a pas accepté la demande de l’app.
    ! Mettez l’app à jour. Si cela se reproduit, contactez l’assistance.
    wait =
    ! Réessayez dans {0}.
    sql.contended = Quelqu’un d’autre a été plus rapide
    > Autre chose a été modifié au même moment ; l’opération n’a donc pas eu lieu.
    ! Réessayez.
    sql.duplicate = Cela existe déjà
    > Un élément porte déjà le même nom ou le même numéro.
    ! Modifiez votre saisie, puis réessayez.
    sql.unfit = Cela ne peut pas être enregistré
    > Cela ne correspond pas à ce qui est déjà enregistré sur cet appareil.
    ! Modifiez votre saisie, puis réessayez.
    sql.not-found = Cela n’existe plus
    > Les données de l’app ne contiennent plus ce qui devait être modifié.
    ! Cela a peut-être été supprimé. Revenez en arrière et vérifiez.
    policy.no-time-left = Il ne restait plus de temps
    > Les étapes précédentes ont duré trop longtemps pour tenter ceci.
    ! Réessayez dans un instant.
    policy.foreign-error = Un problème est survenu
    > L’opération a échoué, et l’app n’a pas pu savoir pourquoi.
    ! Réessayez dans un instant.
    policy.not-tried = L’opération n’a pas été tentée
    > L’app n’a pas tenté ceci pour le moment.
    ! Réessayez dans un instant.
    policy.throttled = Le service est surchargé
    > Le service a beaucoup refusé récemment ; l’app lui envoie donc moins de demandes.
    ! Réessayez dans un instant.
    policy.cooling-down = Le service demande de ralentir
    > Le service a demandé à l’app d’attendre avant d’envoyer davantage.
    ! Réessayez dans un instant.
    policy.limit-reached = Le service est occupé
    > Le service traite déjà autant de demandes de cette app qu’il le peut.
    ! Réessayez dans un instant.
    policy.rejected = Le service fait une pause
    > Le service avait des problèmes ; l’app le laisse donc tranquille un instant.
    ! Réessayez dans un instant.
    policy.waited-too-long = Le tour n’est pas venu à temps
    > L’app fait tant de choses à la fois que l’attente a été trop longue.
    ! Réessayez dans un instant.
    policy.rate-limited = Trop souvent en peu de temps
    > L’app a fait cela aussi souvent que permis pour le moment.
    ! Réessayez dans un instant.
    policy.cost-too-high = Trop à la fois
    > C’est plus que ce que l’app peut demander en une fois.
    ! Demandez moins à la fois.
    policy.full = Trop à la fois
    > L’app fait autant de choses à la fois que permis ; ceci n’a donc pas commencé.
    ! Réessayez dans un instant.
    policy.unacceptable-result = Pas encore terminé
    > Le service n’a pas encore terminé ce qui a été demandé.
    ! Réessayez dans un instant.
    configuration.invalid = Un réglage est incorrect
    > Un réglage a une valeur inutilisable ; cette partie ne fonctionne donc pas.
    ! Veuillez prévenir les responsables de cette app ou de ce service.
    framework.state-corruption = Des données de l’app sont endommagées
    > Ce que l’app a retenu n’est plus cohérent.
    ! Rouvrez l’app. Si cela se reproduit, contactez l’assistance.
    defect = L’app s’est trompée
    > Quelque chose dans l’app n’a pas fonctionné comme prévu. Vous n’y êtes pour rien.
    ! Rouvrez l’app. Si cela se reproduit, contactez l’assistance.
    framework.performance-threshold = Cela demande plus que prévu
    > L’app a eu besoin de plus de temps ou de mémoire que permis.
    ! Fermez ce dont vous n’avez pas besoin, puis réessayez.
    client.invalid-state = Ce n’est pas possible maintenant
    > L’app n’est pas dans un état qui permet de faire cela.
    ! Terminez ce qui est en cours, puis réessayez.
    client.update-failed = La modification a échoué
    > L’app a rencontré un problème pendant la modification.
    ! Réessayez. Si cela se reproduit, contactez l’assistance.
    client.change-refused = Cette modification est impossible
    > Elle ne correspond pas à ce qui existe déjà, et tout reste comme avant.
    ! Procédez autrement, ou modifiez d’abord autre chose.
    client.actor-gone = Ce n’est plus ouvert
    > La partie de l’app qui s’en chargeait a été fermée entre-temps.
    ! Ouvrez-la de nouveau, puis réessayez.
    context.binding-failed = Votre saisie n’a pas été conservée
    > L’app n’a pas pu conserver votre saisie dans l’un des champs.
    ! Saisissez-la de nouveau. Si cela se reproduit, contactez l’assistance.
    context.orchestration-failed = Tout n’a pas été fait
    > Plusieurs parties de l’app y travaillent ensemble, et certaines n’ont pas terminé.
    ! Vérifiez ce qui a été fait avant de réessayer.
    context.observation-failed = Ceci n’est plus tenu à jour
    > L’app ne remarque plus les changements.
    ! Actualisez, ou rouvrez l’app.
    context.update-failed = L’affichage n’a pas été mis à jour
    > Ce que vous voyez est peut-être plus ancien que ce qui est enregistré.
    ! Actualisez, ou rouvrez l’app.
    capability.unavailable = Ce n’est pas disponible
    > Cet appareil ou cette app ne peut pas faire cela, ou pas maintenant.
    ! Procédez autrement, ou plus tard.
    capability.requirement-not-met = Il manque encore quelque chose
    > L’app a besoin d’autre chose avant de pouvoir faire cela.
    ! Vérifiez les réglages, puis réessayez.
    capability.validation-timeout = La vérification a pris trop de temps
    > L’app n’a pas pu savoir à temps si cela fonctionne.
    ! Réessayez dans un instant.
    capability.execution-failed = Cela n’a pas fonctionné
    > L’app a commencé mais n’a pas pu terminer.
    ! Réessayez. Si cela se reproduit, contactez l’assistance.
    capability.fallback-unavailable = Il n’y a pas d’autre moyen
    > Cela ne fonctionne pas, et la solution de remplacement non plus.
    ! Réessayez plus tard. Vous devrez peut-être refaire votre saisie.
    service.not-configured = Le service n’est pas encore configuré
    > Le service a besoin de réglages avant de pouvoir être utilisé.
    ! Configurez-le, puis réessayez.
    service.streaming = La réponse a été interrompue
    > Le service s’est arrêté avant la fin de sa réponse.
    ! Réessayez.
    data.save-failed = L’enregistrement a échoué
    > L’app n’a pas pu conserver vos modifications.
    ! Réessayez. Ne fermez pas avant la fin de l’enregistrement.
    data.fetch-failed = Le chargement a échoué
    > L’app n’a pas pu lire ce qui était enregistré.
    ! Réessayez. Si cela se reproduit, contactez l’assistance.
    data.migration-failed = Vos données n’ont pas été converties
    > Les données enregistrées ont encore la forme d’une ancienne version de l’app.
    ! Mettez l’app à jour. Si cela se reproduit, contactez l’assistance.
    recognition.unrecognised = Objet non reconnu
    > L’app ne sait pas ce qui figure sur l’image.
    ! Montrez-le sous un autre angle, ou saisissez-le à la main.
    recognition.low-confidence = C’est peut-être autre chose
    > L’app n’est pas sûre de ce qui figure sur l’image.
    ! Tenez l’appareil immobile et plus près, ou saisissez-le à la main.
    recognition.too-dark = Il fait trop sombre
    > Il n’y a pas assez de lumière pour l’appareil photo.
    ! Allumez une lampe, puis réessayez.
    recognition.too-far = C’est trop loin
    > Ce que voit l’appareil photo est trop petit pour être reconnu.
    ! Rapprochez-vous, puis réessayez.
    recognition.model-failed = La reconnaissance est indisponible
    > L’app n’a pas pu charger ce qu’il lui faut pour reconnaître des objets.
    ! Rouvrez l’app, ou faites la saisie à la main.
    app.health-denied = Pas d’accès aux données de santé
    > L’app ne peut pas lire vos données de santé.
    ! Autorisez l’accès dans les réglages, puis réessayez.
    app.camera-denied = Pas d’accès à l’appareil photo
    > L’app ne peut pas utiliser l’appareil photo.
    ! Autorisez l’accès dans les réglages, puis réessayez.
    app.user-missing = Votre compte est introuvable
    > L’app ne sait pas à qui sont ces données.
    ! Identifiez-vous, puis réessayez.
    app.unsupported-provider = Ce fournisseur n’est pas possible
    > L’app ne fonctionne pas avec « {0} ».
    ! Choisissez un autre fournisseur.
    outbox.unavailable = Le stockage ne s’ouvre pas
    > L’endroit où sont gardées les modifications ne peut être ni lu ni modifié.
    ! Vérifiez que le dossier existe et que l’app peut y écrire.
    outbox.device-locked = L’appareil est verrouillé
    > Les modifications enregistrées ne sont lisibles qu’une fois celui-ci déverrouillé.
    ! Déverrouillez l’appareil, puis réessayez.
    outbox.disk-full = Espace insuffisant
    > Il n’y a plus de place pour enregistrer votre modification.
    ! Libérez de l’espace, puis réessayez.
    outbox.newer-format = Une version plus récente est nécessaire
    > Les modifications enregistrées viennent d’une version plus récente de l’app.
    ! Mettez l’app à jour ; rien n’a été modifié ni perdu.
    outbox.corrupted = Des modifications sont endommagées
    > Certaines modifications enregistrées ne sont plus lisibles.
    ! Rouvrez l’app ; ce qui est lisible est conservé.
    outbox.busy = Le stockage est en cours d’utilisation
    > Quelque chose d’autre utilise les modifications enregistrées.
    ! Réessayez dans un instant.
    outbox.full = Trop de modifications sont en attente
    > Aucune autre modification ne peut être gardée avant l’envoi de certaines.
    ! Connectez-vous au réseau, puis réessayez.
    outbox.too-large = C’est trop volumineux
    > Une modification de cette taille ne peut pas être gardée.
    ! Choisissez quelque chose de plus petit.
    outbox.unencodable = La modification n’a pas été enregistrée
    > Elle ne peut pas prendre une forme qui s’enregistre.
    ! Vérifiez votre saisie.
    outbox.changed-meanwhile = Cela a changé entre-temps
    > Autre chose a été fait au même moment.
    ! Réessayez.
    outbox.duplicate = C’est déjà en attente
    > La même chose a déjà été demandée et n’est pas encore faite.
    ! Attendez que ce soit fait.
    outbox.key-reused = Cela a déjà été envoyé
    > Autre chose a déjà été envoyé sous la même clé.
    ! Envoyez-le de nouveau comme un nouvel élément.
    outbox.snoozed = Ce sera fait plus tard
    > Ce n’est pas le bon moment ; un nouvel essai aura lieu de lui-même.
    ! Vous n’avez rien à faire.
    outbox.shut-down = L’app est en train de se fermer
    > Les modifications ne sont plus acceptées.
    ! Rouvrez l’app.
    outbox.duplicate-worker = L’app est mal configurée
    > Deux parties de l’app font le même travail.
    ! Prévenez les créateurs de l’app.
    outbox.unreadable-payload = Une modification enregistrée est illisible
    > Elle vient d’une autre version de l’app et reste conservée jusqu’à ce qu’elle puisse être lue.
    ! Mettez l’app à jour.
    outbox.failed = La modification n’a pas été enregistrée
    > Le stockage de cet appareil n’a pas répondu correctement.
    ! Réessayez.
    outbox.waiting.running = Envoi en cours
    outbox.waiting.later = Sera envoyé plus tard
    outbox.waiting.again = Sera retenté
    outbox.waiting.turn = Attend son tour
    outbox.waiting.other = Attend une autre modification refusée
    outbox.waiting.person = Attend votre connexion ou votre action
    outbox.waiting.service = Attend le service
    outbox.waiting.paused = En pause
    outbox.waiting.conditions = Attend par exemple un réseau
    outbox.waiting.update = Attend une mise à jour de l’app
    outbox.waiting.conflict = Attend que vous choisissiez une version
    outbox.waiting.given-up = N’a pas pu être envoyé
    validation = Veuillez vérifier votre saisie
    help
    ! En savoir plus : {0}
    @retry Réessayer
    @dismiss Fermer
    @sign-in S’identifier
    @open-settings Ouvrir les réglages
    @open-portal Ouvrir la page de connexion
    @free-space Libérer de l’espace
    @resolve-conflict Choisir une version
    @reload Recharger
    @check-outcome Vérifier à nouveau
    @help Aide
    """
}
