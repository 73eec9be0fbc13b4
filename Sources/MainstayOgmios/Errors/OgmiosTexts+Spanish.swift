// SPDX-License-Identifier: Apache-2.0

extension OgmiosTexts {
  /// Spanish; the form is told at `BuiltInTexts.parsed` in the core.
  static let spanish = """
    topic.program = No se entiende la solicitud de la app
    ! Actualice la app. Si vuelve a ocurrir, póngase en contacto con soporte.
    topic.server = El servicio no ha podido responder
    ! Inténtelo de nuevo dentro de un momento.
    topic.node = El servicio ha perdido su conexión
    ! Inténtelo de nuevo dentro de un momento.
    topic.operators = El servicio no puede responder a esto
    ! Pida a quien gestiona el servicio que lo actualice.
    topic.history = La cadena ha avanzado
    ! Empiece de nuevo desde un punto anterior.
    topic.snapshot = La vista del libro mayor es demasiado antigua
    ! Vuelva a cargarla.
    topic.syncing = El servicio aún se está sincronizando
    ! Espere a que se haya puesto al día e inténtelo de nuevo.
    topic.era = Esto no pertenece a la era actual
    ! Créelo para la era actual e inténtelo de nuevo.
    topic.script = Un script ha rechazado la transacción
    ! Compruebe qué exige el script y cree la transacción de nuevo.
    topic.signatures = La transacción no está bien firmada
    ! Fírmela con todas las claves que necesita.
    topic.missing = Falta algo en la transacción
    ! Añada lo que falta y envíela de nuevo.
    topic.surplus = A la transacción le sobran partes
    ! Quítelas y envíela de nuevo.
    topic.mismatch = Hay partes de la transacción que no encajan
    ! Cree la transacción de nuevo y envíela.
    topic.inputs = Las entradas no se pueden gastar
    ! Elija otras entradas y envíe la transacción de nuevo.
    topic.time = La transacción no es válida en este momento
    ! Dele otro intervalo de tiempo y envíela de nuevo.
    topic.size = La transacción es demasiado grande
    ! Divídala en otras más pequeñas.
    topic.amounts = Los importes no cuadran
    ! Corrija los importes y envíe la transacción de nuevo.
    topic.network = Esto pertenece a otra red
    ! Use direcciones de la red en la que está.
    topic.collateral = El colateral no se puede usar
    ! Elija otro colateral y envíe la transacción de nuevo.
    topic.registration = El registro no se puede cambiar así
    ! Compruebe qué está registrado e inténtelo de nuevo.
    topic.pool = El stake pool no se puede cambiar así
    ! Corrija los datos del pool e inténtelo de nuevo.
    topic.governance = No se acepta el voto o la propuesta
    ! Corrija el voto o la propuesta y envíe la transacción de nuevo.
    topic.rewards = No se pueden retirar las recompensas
    ! Compruebe el saldo de recompensas e inténtelo de nuevo.
    topic.outcome = No se sabe si se ha enviado
    ! Compruebe si ha llegado antes de volver a enviarlo.
    wait =
    ! Espere un rato y envíelo de nuevo.
    invalid-response = No se puede leer la respuesta
    > El servicio ha respondido de una forma que la app no entiende.
    ! Actualice la app. Si vuelve a ocurrir, póngase en contacto con soporte.
    invalid-format = Esto no se puede enviar
    > Lo que se iba a enviar no tiene la forma que acepta el servicio.
    ! Corríjalo e inténtelo de nuevo.
    invalid-method = El servicio no puede hacer esto
    > Esto necesita una conexión permanente y no hay configurado ningún servicio que la ofrezca.
    ! Configure un servicio con conexiones permanentes e inténtelo de nuevo.
    minus-32700
    > El servicio no ha podido leer lo que ha enviado la app.
    minus-32600
    > El servicio no sabe qué ha pedido la app, o cómo.
    minus-32601
    > El servicio no conoce lo que ha pedido la app.
    minus-32603
    > Ha ocurrido algo inesperado dentro del servicio.
    minus-32000
    > El servicio no tiene conexión con su nodo en este momento.
    minus-32001
    > El nodo que hay detrás del servicio es demasiado antiguo para esta pregunta.
    1000
    > Ninguno de los puntos solicitados está en la cadena.
    1001
    > La app ha pedido el siguiente bloque y un nuevo comienzo al mismo tiempo.
    2000
    > El servicio ya no tiene el libro mayor tal como era en ese punto.
    2001
    > El servicio está en una era distinta de aquella por la que se pregunta.
    2002
    > La era actual no tiene respuesta para esta pregunta.
    2003
    > La vista del libro mayor que consultaba la app ha caducado.
    2004
    > El servicio no puede leer cómo empezó la red.
    4000
    > La app debe consultar las transacciones en espera antes de preguntar por ellas.
    minus-32602
    > La transacción está escrita de una forma que ninguna era entiende.
    3000
    > La transacción es de una era sin scripts que se puedan probar.
    3001
    > La transacción es de una era que ya no se prueba.
    3002
    > Hay salidas que venían con la solicitud y que también están en la cadena.
    3003
    > El servicio no ha avanzado lo suficiente para probar la transacción.
    3004
    > La transacción está incompleta, así que no se pueden probar sus scripts.
    3005
    > La transacción es de una era distinta de la del libro mayor.
    3010
    > Al menos un script ha terminado sin éxito.
    3011
    > La transacción apunta a scripts que no tiene.
    3012
    > Un script ha examinado la transacción y la ha rechazado.
    3013
    > La transacción indica un script para una entrada que no tiene ninguno.
    3100
    > Algunas firmas no corresponden a la transacción.
    3101
    > Faltan algunas firmas necesarias.
    3102
    > Faltan scripts que la transacción necesita.
    3103
    > No se cumple una regla sobre quién debe firmar, o cuándo.
    3104
    > Hay scripts que la transacción no usa.
    3105
    > Están los metadatos, pero no su hash.
    3106
    > Está el hash de los metadatos, pero no los metadatos.
    3107
    > Los metadatos no corresponden a su hash.
    3108
    > Un texto de los metadatos es más largo de lo que permite el libro mayor.
    3109
    > Faltan los redeemers que deben recibir los scripts.
    3110
    > Hay redeemers para scripts que no se ejecutan.
    3111
    > Faltan datos que los scripts necesitan.
    3112
    > Hay datos que ningún script usa.
    3113
    > El hash de los scripts y de sus datos no es el que calcula el libro mayor.
    3114
    > Hay entradas bloqueadas por scripts y sin datos, así que nadie podrá gastarlas nunca.
    3115
    > El libro mayor no tiene un modelo de costes para el lenguaje de un script.
    3116
    > Un script está escrito de una forma que no se puede leer.
    3117
    > Las entradas son desconocidas o ya se han gastado, quizá en esta misma transacción.
    3118
    > La transacción se ha enviado demasiado pronto o demasiado tarde.
    3119
    > La transacción es más grande de lo que permite el libro mayor.
    3120
    > Una salida contiene más activos distintos de los permitidos.
    3121
    > La transacción no gasta nada.
    3122
    > La comisión es inferior a la que exige el libro mayor.
    3123
    > Lo que entra no es igual a lo que sale.
    3124
    > Algo en la transacción está destinado a otra red.
    3125
    > Una salida contiene menos ada de lo necesario.
    3126
    > Una dirección antigua lleva demasiado consigo.
    3127
    > Nadie puede crear ni destruir ada.
    3128
    > El colateral vale demasiado poco.
    3129
    > El colateral está bloqueado por un script.
    3130
    > La transacción indica un momento demasiado lejano para conocerse todavía.
    3131
    > El colateral tiene demasiadas partes.
    3132
    > Se ejecutan scripts sin ningún colateral.
    3133
    > El colateral contiene algo más que ada.
    3134
    > Los scripts pueden consumir más de lo que permite el libro mayor.
    3135
    > La suma del colateral no es la que se indica.
    3136
    > La transacción indica si sus scripts terminan con éxito, y no es así.
    3137
    > Vota alguien que no puede votar sobre esto.
    3138
    > No se conoce la propuesta.
    3139
    > Las reglas de la red no se pueden cambiar con esta transacción.
    3140
    > No se conoce el stake pool.
    3141
    > Las recompensas se retiran por completo, y solo de cuentas registradas.
    3142
    > La retirada del pool está prevista para demasiado tarde.
    3143
    > El coste del pool es inferior al permitido.
    3144
    > El hash de la descripción del pool es demasiado largo.
    3145
    > Esto ya está registrado.
    3146
    > Esto aún no se ha registrado.
    3147
    > La cuenta aún tiene recompensas, así que no se puede cerrar.
    3148
    > Las claves génesis no se pueden delegar así.
    3149
    > Las reservas no se pueden mover así.
    3150
    > Las recompensas solo se pueden retirar tras haber elegido un DRep.
    3151
    > El depósito no es el exigido.
    3152
    > El DRep ya está registrado.
    3153
    > El DRep no está registrado.
    3154
    > El miembro del comité no se conoce, o lo ha abandonado.
    3155
    > El depósito de la propuesta no es el exigido.
    3156
    > El mismo miembro debe entrar en el comité y salir de él.
    3157
    > Debe entrar en el comité un miembro cuyo mandato ya habría terminado.
    3158
    > Lo que se toma de la tesorería no es lo que dice la propuesta.
    3159
    > La propuesta anterior a esta falta o es otra.
    3160
    > El plazo para votar sobre esto ha terminado.
    3161
    > Un script ha agotado lo que se le dio, o se le dio más de lo permitido.
    3162
    > La red no puede pasar a la versión propuesta.
    3163
    > La propuesta indica unas salvaguardas distintas de las de la constitución.
    3164
    > La misma salida se va a gastar y también solo a consultar.
    3165
    > Las propuestas de este tipo aún no están abiertas a nadie.
    3166
    > Los scripts a los que se hace referencia son demasiado grandes.
    3167
    > Vota alguien que no es conocido.
    3168
    > No se toma nada de la tesorería.
    3169
    > Lo que queda del colateral va a una dirección de formato antiguo.
    3170
    > Otro pool usa la misma clave.
    3997
    > El nodo no ha aceptado la transacción, quizá porque ya la tiene.
    3998
    > El servicio no conoce una parte de la transacción.
    """
}
