// SPDX-License-Identifier: Apache-2.0

extension BuiltInTexts {
  /// Spanish; the form is told at ``parsed(_:)``.
  static let spanish = """
    unknown = Ha ocurrido algo inesperado
    > La app ha encontrado un problema que no reconoce.
    ! Inténtelo de nuevo. Si vuelve a ocurrir, póngase en contacto con soporte.
    cancelled = Detenido
    > Esto se ha detenido antes de terminar.
    system.busy = El dispositivo está ocupado
    > El dispositivo no ha podido hacer esto en este momento.
    ! Inténtelo de nuevo dentro de un momento.
    system.exhausted = El dispositivo tiene pocos recursos
    > No hay memoria suficiente o hay demasiadas cosas abiertas a la vez.
    ! Cierre lo que no necesite e inténtelo de nuevo.
    outcome-unknown = No se sabe si ha funcionado
    > La conexión o el servicio ha fallado antes de confirmarlo.
    ! Compruebe si se ha realizado antes de volver a intentarlo.
    network.offline = No hay conexión
    > Esto necesita una conexión y el dispositivo no tiene ninguna en este momento.
    ! Compruebe la red Wi-Fi o los datos móviles e inténtelo de nuevo.
    network.unreachable = No se puede acceder al servicio
    > El servicio no ha aceptado la conexión.
    ! Inténtelo de nuevo dentro de un momento.
    network.host-not-found = No se encuentra el servicio
    > No se ha podido encontrar la dirección del servicio.
    ! Compruebe la conexión e inténtelo de nuevo.
    network.connection-lost = Se ha perdido la conexión
    > La conexión con el servicio se ha cortado antes de completar la respuesta.
    ! Inténtelo de nuevo.
    network.timeout = Esto está tardando demasiado
    > El servicio no ha respondido a tiempo.
    ! Inténtelo de nuevo dentro de un momento.
    network.portal = Esta red pide que inicie sesión
    > En lugar del servicio ha respondido una página de inicio de sesión de la red.
    ! Abra la página de inicio de sesión de la red e inténtelo de nuevo.
    network.insecure = La conexión no es segura
    > El servicio no ha podido demostrar su identidad, así que no se ha enviado nada.
    ! Compruebe la fecha y la hora del dispositivo o use otra red.
    network.secure-connection-failed = No se puede establecer una conexión segura
    > El servicio y este dispositivo no han podido acordar una conexión segura.
    ! Inténtelo de nuevo o use otra red.
    network.bad-address = La dirección no se puede usar
    > La app ha intentado usar una dirección que no funciona.
    ! Actualice la app. Si vuelve a ocurrir, póngase en contacto con soporte.
    network.bad-answer = No se puede leer la respuesta
    > El servicio ha respondido de una forma que la app no entiende.
    ! Actualice la app. Si vuelve a ocurrir, póngase en contacto con soporte.
    network.sign-in-required = Es necesario iniciar sesión
    > El servicio necesita saber quién es usted.
    ! Inicie sesión e inténtelo de nuevo.
    network.failed = La conexión ha fallado
    > Algo ha ido mal entre este dispositivo y el servicio.
    ! Compruebe la conexión e inténtelo de nuevo.
    storage.full = No hay espacio suficiente
    > No queda espacio para guardar esto.
    ! Libere espacio e inténtelo de nuevo.
    storage.denied = Sin permiso
    > La app no puede leer ni modificar este archivo.
    ! Permita el acceso al archivo o a la carpeta e inténtelo de nuevo.
    storage.read-only = Este lugar es de solo lectura
    > Aquí no se puede guardar nada.
    ! Elija otro lugar para guardar.
    storage.not-found = Falta el archivo
    > El archivo no está donde se esperaba.
    ! Puede que se haya movido o eliminado. Búsquelo o elija otro archivo.
    storage.exists = El archivo ya existe
    > Ya existe un archivo con este nombre.
    ! Elija otro nombre.
    storage.too-large = El archivo es demasiado grande
    > La app no puede trabajar con un archivo de este tamaño.
    ! Elija un archivo más pequeño.
    storage.in-use = El archivo está en uso
    > Otra cosa está trabajando con el archivo.
    ! Cierre lo que esté usando el archivo e inténtelo de nuevo.
    storage.corrupted = El archivo está dañado
    > Lo que se guardó ya no se puede leer.
    ! Use una copia anterior si la hay.
    storage.failed = No se ha podido leer o escribir
    > El almacenamiento del dispositivo no ha respondido correctamente.
    ! Inténtelo de nuevo. Si vuelve a ocurrir, compruebe el almacenamiento.
    storage.bad-name = El nombre no se puede usar
    > Un archivo no puede tener este nombre.
    ! Elija otro nombre.
    data.decoding = No se pueden leer los datos
    > Los datos tienen una forma que la app no entiende.
    ! Actualice la app. Si vuelve a ocurrir, póngase en contacto con soporte.
    data.encoding = No se ha podido preparar
    > La app no ha podido preparar esto para guardarlo o enviarlo.
    ! Cambie lo que ha introducido o póngase en contacto con soporte.
    http.sign-in = Inicie sesión de nuevo
    > No ha iniciado sesión o la sesión ha caducado.
    ! Inicie sesión e inténtelo de nuevo.
    http.denied = No puede hacer esto
    > Su cuenta no tiene permiso para hacer esto.
    ! Pida acceso al propietario o use otra cuenta.
    http.missing = Esto ya no está aquí
    > El servicio no tiene lo que se ha pedido.
    ! Puede que se haya eliminado. Actualice para ver lo que hay.
    http.conflict = Cambiado en dos lugares
    > Otra persona ha cambiado esto mientras tanto.
    ! Compare las dos versiones y elija con cuál quedarse.
    http.changed = Esto ha cambiado mientras tanto
    > Lo que hay ahora ya no encaja con lo que se pidió.
    ! Vuelva a cargarlo y repita después su cambio.
    http.running = Todavía en curso
    > El servicio sigue trabajando en la misma solicitud.
    ! Espere un momento; no hace falta enviarlo de nuevo.
    http.failing = El servicio tiene un problema
    > El servicio no ha podido responder. No es culpa suya.
    ! Inténtelo de nuevo dentro de un momento.
    http.throttled = Demasiadas solicitudes
    > El servicio pide ir más despacio.
    ! Inténtelo de nuevo dentro de un momento.
    http.too-large = Es demasiado grande
    > El servicio no acepta nada de este tamaño.
    ! Elija algo más pequeño.
    http.unacceptable = El servicio no puede aceptar esto
    > El servicio no puede aceptar algo de lo que se ha enviado.
    ! Compruebe lo que ha introducido.
    http.unsupported = El servicio no puede hacer esto
    > El servicio no admite lo que la app ha pedido.
    ! Actualice la app. Si vuelve a ocurrir, póngase en contacto con soporte.
    http.refused = El servicio lo ha rechazado
    > El servicio no ha aceptado la solicitud de la app.
    ! Actualice la app. Si vuelve a ocurrir, póngase en contacto con soporte.
    wait =
    ! Inténtelo de nuevo dentro de {0}.
    sql.contended = Otra persona se ha adelantado
    > Otra cosa ha cambiado en el mismo momento, así que esto no se ha hecho.
    ! Inténtelo de nuevo.
    sql.duplicate = Esto ya existe
    > Ya existe algo con el mismo nombre o número.
    ! Cambie lo que ha introducido e inténtelo de nuevo.
    sql.unfit = Esto no se puede guardar
    > No encaja con lo que ya está guardado en este dispositivo.
    ! Cambie lo que ha introducido e inténtelo de nuevo.
    sql.not-found = Esto ya no está
    > En los datos de la app falta lo que se iba a cambiar.
    ! Puede que se haya eliminado. Vuelva atrás y compruébelo.
    policy.no-time-left = No quedaba tiempo
    > Lo anterior ha tardado tanto que ya no se ha podido intentar esto.
    ! Inténtelo de nuevo dentro de un momento.
    policy.foreign-error = Algo ha ido mal
    > Esto no ha funcionado y la app no ha podido averiguar por qué.
    ! Inténtelo de nuevo dentro de un momento.
    policy.not-tried = Esto no se ha intentado
    > La app no ha intentado hacer esto por ahora.
    ! Inténtelo de nuevo dentro de un momento.
    policy.throttled = El servicio está sobrecargado
    > El servicio ha rechazado mucho, así que la app le envía menos durante un momento.
    ! Inténtelo de nuevo dentro de un momento.
    policy.cooling-down = El servicio pide ir más despacio
    > El servicio ha pedido a la app que espere antes de enviar más.
    ! Inténtelo de nuevo dentro de un momento.
    policy.limit-reached = El servicio está ocupado
    > El servicio ya hace para esta app todo lo que puede en este momento.
    ! Inténtelo de nuevo dentro de un momento.
    policy.rejected = El servicio está en pausa
    > El servicio ha tenido problemas, así que la app lo deja tranquilo un momento.
    ! Inténtelo de nuevo dentro de un momento.
    policy.waited-too-long = No le ha tocado a tiempo
    > La app hace tantas cosas a la vez que esto ha esperado demasiado.
    ! Inténtelo de nuevo dentro de un momento.
    policy.rate-limited = Demasiadas veces en poco tiempo
    > La app ha hecho esto tantas veces como puede por ahora.
    ! Inténtelo de nuevo dentro de un momento.
    policy.cost-too-high = Demasiado a la vez
    > Es más de lo que la app puede pedir de una vez.
    ! Pida menos de una vez.
    policy.full = Demasiado a la vez
    > La app hace todo lo que puede al mismo tiempo, así que esto no se ha empezado.
    ! Inténtelo de nuevo dentro de un momento.
    policy.unacceptable-result = Todavía no está listo
    > El servicio no ha terminado lo que se le pidió.
    ! Inténtelo de nuevo dentro de un momento.
    configuration.invalid = Algo está mal configurado
    > Un ajuste tiene un valor que no se puede usar, así que esta parte no funciona.
    ! Avise a las personas responsables de esta app o de este servicio.
    framework.state-corruption = Algo en la app está dañado
    > Lo que la app recuerda ya no encaja.
    ! Abra la app de nuevo. Si vuelve a ocurrir, póngase en contacto con soporte.
    defect = La app se ha equivocado
    > Algo dentro de la app no ha funcionado como debía. No es culpa suya.
    ! Abra la app de nuevo. Si vuelve a ocurrir, póngase en contacto con soporte.
    framework.performance-threshold = Esto necesita más de lo que debería
    > La app ha necesitado para esto más tiempo o memoria de lo permitido.
    ! Cierre lo que no necesite e inténtelo de nuevo.
    client.invalid-state = Esto no es posible ahora
    > La app no está en un estado en el que pueda hacer esto.
    ! Termine lo que tenga abierto e inténtelo de nuevo.
    client.update-failed = No se ha podido hacer el cambio
    > La app ha encontrado un problema al hacer el cambio.
    ! Inténtelo de nuevo. Si vuelve a ocurrir, póngase en contacto con soporte.
    client.change-refused = Este cambio no es posible
    > No encaja con lo que ya hay, así que todo queda como estaba.
    ! Hágalo de otra manera o cambie antes otra cosa.
    client.actor-gone = Esto ya no está abierto
    > La parte de la app que hacía esto se ha cerrado mientras tanto.
    ! Ábralo de nuevo y vuelva a intentarlo.
    context.binding-failed = No se ha guardado lo introducido
    > La app no ha podido conservar lo que introdujo en uno de los campos.
    ! Introdúzcalo de nuevo. Si vuelve a ocurrir, póngase en contacto con soporte.
    context.orchestration-failed = No se ha hecho todo
    > Varias partes de la app trabajan juntas en esto y algunas no han terminado.
    ! Compruebe lo que se ha hecho antes de volver a intentarlo.
    context.observation-failed = Esto no se mantiene al día
    > La app ya no nota cuándo cambia esto.
    ! Actualice o abra la app de nuevo.
    context.update-failed = No se ha podido actualizar la pantalla
    > Puede que lo que ve sea más antiguo que lo que está guardado.
    ! Actualice o abra la app de nuevo.
    capability.unavailable = Esto no está disponible
    > Este dispositivo o esta app no puede hacer esto, o no en este momento.
    ! Hágalo de otra manera o más tarde.
    capability.requirement-not-met = Todavía falta algo
    > La app necesita algo más antes de poder hacer esto.
    ! Compruebe los ajustes e inténtelo de nuevo.
    capability.validation-timeout = No se ha podido comprobar a tiempo
    > La app no ha podido averiguar a tiempo si esto funciona.
    ! Inténtelo de nuevo dentro de un momento.
    capability.execution-failed = Esto no ha funcionado
    > La app ha empezado esto pero no ha podido terminarlo.
    ! Inténtelo de nuevo. Si vuelve a ocurrir, póngase en contacto con soporte.
    capability.fallback-unavailable = Ahora no hay otra manera
    > Esto no funciona y su alternativa tampoco.
    ! Hágalo más tarde. Puede que tenga que introducir sus datos de nuevo.
    service.not-configured = Esto aún no está configurado
    > El servicio necesita algunos ajustes antes de poder usarse.
    ! Configúrelo e inténtelo de nuevo.
    service.streaming = La respuesta se ha interrumpido
    > El servicio se ha detenido antes de completar su respuesta.
    ! Inténtelo de nuevo.
    data.save-failed = No se ha podido guardar
    > La app no ha podido conservar sus cambios.
    ! Inténtelo de nuevo. Déjelo abierto hasta que se guarde.
    data.fetch-failed = No se ha podido cargar
    > La app no ha podido leer lo que estaba guardado.
    ! Inténtelo de nuevo. Si vuelve a ocurrir, póngase en contacto con soporte.
    data.migration-failed = No se han podido convertir sus datos
    > Lo guardado tiene todavía la forma de una versión anterior de la app.
    ! Actualice la app. Si vuelve a ocurrir, póngase en contacto con soporte.
    recognition.unrecognised = No se ha reconocido
    > La app no sabe qué hay en la imagen.
    ! Muéstrelo desde otro lado o introdúzcalo a mano.
    recognition.low-confidence = Puede que sea otra cosa
    > La app no está segura de qué hay en la imagen.
    ! Mantenga el dispositivo quieto y más cerca o introdúzcalo a mano.
    recognition.too-dark = Está demasiado oscuro
    > No hay luz suficiente para la cámara.
    ! Encienda una luz e inténtelo de nuevo.
    recognition.too-far = Está demasiado lejos
    > Lo que ve la cámara es demasiado pequeño para reconocerlo.
    ! Acérquese e inténtelo de nuevo.
    recognition.model-failed = El reconocimiento no está disponible
    > La app no ha podido cargar lo que necesita para reconocer objetos.
    ! Abra la app de nuevo o introdúzcalo a mano.
    app.health-denied = Sin acceso a los datos de salud
    > La app no puede leer sus datos de salud.
    ! Permita el acceso en Ajustes e inténtelo de nuevo.
    app.camera-denied = Sin acceso a la cámara
    > La app no puede usar la cámara.
    ! Permita el acceso en Ajustes e inténtelo de nuevo.
    app.user-missing = No se ha encontrado su cuenta
    > La app no sabe de quién son estos datos.
    ! Inicie sesión e inténtelo de nuevo.
    app.unsupported-provider = Este proveedor no se puede usar
    > La app no funciona con «{0}».
    ! Elija otro proveedor.
    outbox.unavailable = No se puede abrir el almacenamiento
    > El lugar donde se guardan los cambios no se puede leer ni modificar.
    ! Compruebe que la carpeta existe y que la app puede escribir en ella.
    outbox.device-locked = El dispositivo está bloqueado
    > Los cambios guardados no se pueden leer hasta que se desbloquee.
    ! Desbloquee el dispositivo e inténtelo de nuevo.
    outbox.disk-full = No hay espacio suficiente
    > No queda espacio para guardar su cambio.
    ! Libere espacio e inténtelo de nuevo.
    outbox.newer-format = Sus cambios necesitan una versión más nueva
    > Una versión más nueva de la app escribió los cambios guardados.
    ! Actualice la app; no se ha cambiado ni perdido nada.
    outbox.corrupted = Los cambios guardados están dañados
    > Algunos cambios guardados ya no se pueden leer.
    ! Abra la app de nuevo; lo que se puede leer se conserva.
    outbox.busy = El almacenamiento está en uso
    > Otra cosa está trabajando con los cambios guardados.
    ! Inténtelo de nuevo dentro de un momento.
    outbox.full = Hay demasiados cambios en espera
    > No se pueden guardar más cambios hasta que se envíen algunos.
    ! Conéctese a la red e inténtelo de nuevo.
    outbox.too-large = Es demasiado grande
    > Un cambio de este tamaño no se puede guardar.
    ! Elija algo más pequeño.
    outbox.unencodable = No se ha podido guardar su cambio
    > No se puede preparar de forma que se pueda guardar.
    ! Compruebe lo que ha introducido.
    outbox.changed-meanwhile = Esto ha cambiado mientras tanto
    > Se hizo otra cosa con ello en el mismo momento.
    ! Inténtalo de nuevo.
    outbox.duplicate = Esto ya está en espera
    > Ya se pidió lo mismo y aún no se ha hecho.
    ! Espera a que termine.
    outbox.key-reused = Esto ya se ha enviado
    > Antes se envió otra cosa con la misma clave.
    ! Envíelo de nuevo como algo nuevo.
    outbox.snoozed = Esto se hará más tarde
    > Ahora no es el momento; se volverá a intentar solo.
    ! No tienes que hacer nada.
    outbox.shut-down = La app se está cerrando
    > Ya no se aceptan cambios.
    ! Abra la app de nuevo.
    outbox.duplicate-worker = La app está mal configurada
    > Dos partes de la app hacen el mismo trabajo.
    ! Avise a los creadores de la app.
    outbox.unreadable-payload = Un cambio guardado no se puede leer
    > Lo guardó otra versión de la app y se conserva hasta que se pueda leer.
    ! Actualice la app.
    outbox.failed = No se ha podido guardar su cambio
    > El almacenamiento de este dispositivo no ha respondido correctamente.
    ! Inténtelo de nuevo.
    outbox.waiting.running = Enviando
    outbox.waiting.later = Se enviará más tarde
    outbox.waiting.again = Se intentará de nuevo
    outbox.waiting.turn = Espera su turno
    outbox.waiting.other = Espera a otro cambio que no se aceptó
    outbox.waiting.person = Espera a que inicie sesión o haga lo pedido
    outbox.waiting.service = Espera al servicio
    outbox.waiting.paused = En pausa
    outbox.waiting.conditions = Espera, por ejemplo, una red
    outbox.waiting.update = Espera una actualización de la app
    outbox.waiting.conflict = Espera a que elija una versión
    outbox.waiting.given-up = No se pudo enviar
    validation = Compruebe lo que ha introducido
    help
    ! Lea más al respecto: {0}
    @retry Reintentar
    @dismiss Cerrar
    @sign-in Iniciar sesión
    @open-settings Abrir Ajustes
    @open-portal Abrir página de inicio de sesión
    @free-space Liberar espacio
    @resolve-conflict Elegir una versión
    @reload Volver a cargar
    @check-outcome Comprobar de nuevo
    @help Ayuda
    """
}
