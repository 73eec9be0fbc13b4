// SPDX-License-Identifier: Apache-2.0

extension OgmiosTexts {
  /// French; the form is told at `BuiltInTexts.parsed` in the core.
  static let french = """
    topic.program = La demande de l’app n’est pas comprise
    ! Mettez l’app à jour. Si cela se reproduit, contactez l’assistance.
    topic.server = Le service n’a pas pu répondre
    ! Réessayez dans un instant.
    topic.node = Le service a perdu sa connexion
    ! Réessayez dans un instant.
    topic.operators = Le service ne peut pas répondre à cela
    ! Demandez aux responsables du service de le mettre à jour.
    topic.history = La chaîne a avancé
    ! Recommencez à partir d’un point antérieur.
    topic.snapshot = La vue du registre est trop ancienne
    ! Chargez-la de nouveau.
    topic.syncing = Le service est encore en cours de synchronisation
    ! Attendez qu’il soit à jour, puis réessayez.
    topic.era = Cela n’appartient pas à l’ère actuelle
    ! Créez-le pour l’ère actuelle, puis réessayez.
    topic.script = Un script a refusé la transaction
    ! Vérifiez ce que le script exige, puis recréez la transaction.
    topic.signatures = La transaction n’est pas signée correctement
    ! Signez-la avec toutes les clés nécessaires.
    topic.missing = Il manque quelque chose dans la transaction
    ! Ajoutez ce qui manque, puis renvoyez-la.
    topic.surplus = La transaction a des parties superflues
    ! Retirez-les, puis renvoyez-la.
    topic.mismatch = Des parties de la transaction se contredisent
    ! Recréez la transaction, puis envoyez-la.
    topic.inputs = Les entrées ne peuvent pas être dépensées
    ! Choisissez d’autres entrées, puis renvoyez la transaction.
    topic.time = La transaction n’est pas valide en ce moment
    ! Donnez-lui un autre intervalle de temps, puis renvoyez-la.
    topic.size = La transaction est trop volumineuse
    ! Divisez-la en transactions plus petites.
    topic.amounts = Les montants ne concordent pas
    ! Corrigez les montants, puis renvoyez la transaction.
    topic.network = Cela appartient à un autre réseau
    ! Utilisez des adresses du réseau sur lequel vous êtes.
    topic.collateral = Le collatéral est inutilisable
    ! Choisissez un autre collatéral, puis renvoyez la transaction.
    topic.registration = L’inscription ne peut pas être modifiée ainsi
    ! Vérifiez ce qui est enregistré, puis réessayez.
    topic.pool = Le stake pool ne peut pas être modifié ainsi
    ! Corrigez les données du pool, puis réessayez.
    topic.governance = Le vote ou la proposition n’est pas recevable
    ! Corrigez le vote ou la proposition, puis renvoyez la transaction.
    topic.rewards = Le retrait est impossible
    ! Vérifiez le solde des récompenses, puis réessayez.
    topic.outcome = On ne sait pas si l’envoi a abouti
    ! Vérifiez s’il est arrivé avant de le renvoyer.
    wait =
    ! Attendez un moment, puis renvoyez-le.
    invalid-response = La réponse est illisible
    > Le service a répondu sous une forme que l’app ne comprend pas.
    ! Mettez l’app à jour. Si cela se reproduit, contactez l’assistance.
    invalid-format = Cela ne peut pas être envoyé
    > Ce qui devait être envoyé n’a pas la forme que le service accepte.
    ! Corrigez-le, puis réessayez.
    invalid-method = Le service ne peut pas faire cela
    > Il faut pour cela une connexion durable, et aucun service configuré n’en propose.
    ! Configurez un service à connexions durables, puis réessayez.
    minus-32700
    > Le service n’a pas pu lire ce que l’app a envoyé.
    minus-32600
    > Le service ne sait pas ce que l’app a demandé, ni comment.
    minus-32601
    > Le service ne connaît pas ce que l’app a demandé.
    minus-32603
    > Un imprévu s’est produit au sein du service.
    minus-32000
    > Le service n’a actuellement aucune connexion à son nœud.
    minus-32001
    > Le nœud derrière le service est trop ancien pour cette question.
    1000
    > Aucun des points demandés ne se trouve sur la chaîne.
    1001
    > L’app a demandé en même temps le bloc suivant et un nouveau départ.
    2000
    > Le service n’a plus le registre tel qu’il était à ce point.
    2001
    > Le service est dans une autre ère que celle sur laquelle porte la question.
    2002
    > L’ère actuelle n’a pas de réponse à cette question.
    2003
    > La vue du registre que l’app consultait a expiré.
    2004
    > Le service ne peut pas lire comment le réseau a commencé.
    4000
    > L’app doit consulter les transactions en attente avant de poser des questions à leur sujet.
    minus-32602
    > La transaction est écrite d’une manière qu’aucune ère ne comprend.
    3000
    > La transaction date d’une ère sans scripts à essayer.
    3001
    > La transaction date d’une ère qui n’est plus essayée.
    3002
    > Des sorties jointes à la demande se trouvent aussi sur la chaîne.
    3003
    > Le service n’est pas assez avancé pour essayer la transaction.
    3004
    > La transaction est incomplète ; ses scripts ne peuvent donc pas être essayés.
    3005
    > La transaction date d’une autre ère que le registre.
    3010
    > Au moins un script s’est terminé sans succès.
    3011
    > La transaction renvoie à des scripts qu’elle n’a pas.
    3012
    > Un script a examiné la transaction et l’a refusée.
    3013
    > La transaction indique un script pour une entrée qui n’en a pas.
    3100
    > Certaines signatures ne correspondent pas à la transaction.
    3101
    > Certaines signatures nécessaires sont absentes.
    3102
    > Des scripts dont la transaction a besoin sont absents.
    3103
    > Une règle qui dit qui doit signer, ou quand, n’est pas respectée.
    3104
    > Il y a des scripts que la transaction n’utilise pas.
    3105
    > Les métadonnées sont présentes, mais pas leur empreinte.
    3106
    > L’empreinte des métadonnées est présente, mais pas les métadonnées.
    3107
    > Les métadonnées ne correspondent pas à leur empreinte.
    3108
    > Un texte des métadonnées est plus long que ce que le registre permet.
    3109
    > Les redeemers destinés aux scripts sont absents.
    3110
    > Il y a des redeemers pour des scripts qui ne sont pas exécutés.
    3111
    > Des données dont les scripts ont besoin sont absentes.
    3112
    > Il y a des données qu’aucun script n’utilise.
    3113
    > L’empreinte des scripts et de leurs données n’est pas celle que le registre calcule.
    3114
    > Des entrées verrouillées par des scripts n’ont pas de données ; nul ne pourra les dépenser.
    3115
    > Le registre n’a pas de modèle de coûts pour le langage d’un script.
    3116
    > Un script est écrit d’une manière illisible.
    3117
    > Les entrées sont inconnues ou déjà dépensées, peut-être par cette transaction même.
    3118
    > La transaction a été envoyée trop tôt ou trop tard.
    3119
    > La transaction est plus volumineuse que ce que le registre permet.
    3120
    > Une sortie contient plus d’actifs différents qu’il n’est permis.
    3121
    > La transaction ne dépense rien.
    3122
    > Les frais sont inférieurs à ceux que le registre exige.
    3123
    > Ce qui entre n’est pas égal à ce qui sort.
    3124
    > Un élément de la transaction est destiné à un autre réseau.
    3125
    > Une sortie contient moins d’ada qu’il n’en faut.
    3126
    > Une ancienne adresse transporte trop de données.
    3127
    > Personne ne peut créer ni détruire d’ada.
    3128
    > Le collatéral a trop peu de valeur.
    3129
    > Le collatéral est verrouillé par un script.
    3130
    > La transaction indique un moment trop lointain pour être déjà connu.
    3131
    > Le collatéral a trop de parties.
    3132
    > Des scripts sont exécutés sans aucun collatéral.
    3133
    > Le collatéral contient autre chose que des ada.
    3134
    > Les scripts peuvent consommer plus que ce que le registre permet.
    3135
    > La somme du collatéral n’est pas celle qui est indiquée.
    3136
    > La transaction annonce que ses scripts réussissent, ou échouent, et ce n’est pas le cas.
    3137
    > Quelqu’un vote sans y être autorisé.
    3138
    > La proposition n’est pas connue.
    3139
    > Cette transaction ne peut pas modifier les règles du réseau.
    3140
    > Le stake pool n’est pas connu.
    3141
    > Les récompenses se retirent en totalité, et seulement depuis des comptes enregistrés.
    3142
    > Le retrait du pool est prévu trop tard.
    3143
    > Le coût du pool est inférieur au minimum permis.
    3144
    > L’empreinte de la description du pool est trop longue.
    3145
    > Cela est déjà enregistré.
    3146
    > Cela n’a pas encore été enregistré.
    3147
    > Le compte contient encore des récompenses ; il ne peut donc pas être fermé.
    3148
    > Les clés genesis ne peuvent pas être déléguées ainsi.
    3149
    > Les réserves ne peuvent pas être déplacées ainsi.
    3150
    > Les récompenses ne peuvent être retirées qu’après le choix d’un DRep.
    3151
    > Le dépôt n’est pas celui qui est exigé.
    3152
    > Le DRep est déjà enregistré.
    3153
    > Le DRep n’est pas enregistré.
    3154
    > Le membre du comité n’est pas connu, ou l’a quitté.
    3155
    > Le dépôt de la proposition n’est pas celui qui est exigé.
    3156
    > Le même membre doit à la fois rejoindre le comité et le quitter.
    3157
    > Un membre dont le mandat serait déjà terminé doit rejoindre le comité.
    3158
    > Ce qui est pris dans la trésorerie n’est pas ce que dit la proposition.
    3159
    > La proposition précédente est absente ou différente.
    3160
    > Le délai pour voter à ce sujet est écoulé.
    3161
    > Un script a épuisé ce qui lui était alloué, ou a reçu plus qu’il n’est permis.
    3162
    > Le réseau ne peut pas passer à la version proposée.
    3163
    > La proposition indique d’autres garde-fous que la constitution.
    3164
    > La même sortie doit être à la fois dépensée et simplement consultée.
    3165
    > Les propositions de ce type ne sont encore ouvertes à personne.
    3166
    > Les scripts auxquels il est fait référence sont trop volumineux.
    3167
    > Un votant n’est pas connu.
    3168
    > Rien n’est pris dans la trésorerie.
    3169
    > Le reste du collatéral va à une adresse d’un ancien format.
    3170
    > Un autre pool utilise la même clé.
    3997
    > Le nœud n’a pas accepté la transaction, peut-être parce qu’il l’a déjà.
    3998
    > Le service ne connaît pas une partie de la transaction.
    """
}
