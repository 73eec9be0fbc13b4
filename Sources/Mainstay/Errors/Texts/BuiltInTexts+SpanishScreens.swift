// SPDX-License-Identifier: Apache-2.0

extension BuiltInTexts {
  /// Spanish, for what screens say besides errors.
  static let spanishScreens = """
    connection.connected
    > Conectado
    connection.back
    > Conectado de nuevo
    connection.reconnecting
    > Conectando de nuevo
    connection.disconnected
    > Sin conexión
    connection.failed
    > Hay una red, pero nada llega.
    connection.portal
    > La red pide iniciar sesión.
    view.warning
    > Aviso
    view.error
    > Error
    view.recovering
    > Intentando solucionarlo…
    need.memory
    > Al dispositivo le queda poca memoria, así que solo funciona lo más importante.
    need.processor
    > El dispositivo está muy ocupado, así que solo funciona lo más importante.
    need.heat
    > El dispositivo está muy caliente: solo funciona lo más importante. Deje que se enfríe.
    need.network
    > No hay conexión. Puede usar lo que funciona sin ella.
    need.storage
    > En este momento no se puede guardar nada.
    need.analytics
    > Falta un servicio del que depende la app.
    need.camera
    > No se puede usar la cámara.
    need.location
    > La app no sabe dónde está el dispositivo.
    need.notifications
    > La app no puede mostrar notificaciones.
    need.none
    > Todo vuelve a funcionar.
    need.fewer
    > Vuelven a funcionar más cosas, pero no todas.
    form.empty
    > Aquí no hay nada.
    ! Rellénelo para continuar.
    form.not-accepted
    > Aún no se ha aceptado.
    ! Acéptelo para continuar.
    form.email
    > No es una dirección de correo electrónico.
    ! Introduzca una como {0}.
    form.different
    > Las dos entradas son distintas.
    ! Introduzca lo mismo en ambas.
    form.pattern
    > No tiene la forma esperada.
    ! Compruebe si hay erratas.
    form.whole-number
    > No es un número entero.
    ! Use solo cifras.
    form.unacceptable
    > No se puede aceptar.
    ! Compruebe si hay erratas.
    form.too-short
    > Es demasiado corto.
    ! Introduzca al menos {0} caracteres.
    form.one-character
    > Es demasiado largo.
    ! Introduzca un solo carácter.
    form.too-long
    > Es demasiado largo.
    ! Introduzca como máximo {0} caracteres.
    form.too-small
    > Es demasiado bajo.
    ! El valor más bajo es {0}.
    form.too-large
    > Es demasiado alto.
    ! El valor más alto es {0}.
    form.not-below
    > Es demasiado alto.
    ! Introduzca menos de {0}.
    form.too-early
    > Esta fecha es demasiado temprana.
    ! La primera fecha posible es {0}.
    form.too-late
    > Esta fecha es demasiado tardía.
    ! La última fecha posible es {0}.
    form.not-before
    > Esta fecha es demasiado tardía.
    ! Debe ser anterior a {0}.
    form.too-young
    > Debe tener al menos {0} años.
    ! Compruebe la edad introducida.
    form.born-too-late
    ! Compruebe la fecha de nacimiento introducida.
    form.too-few
    > Se ha elegido muy poco.
    ! Elija al menos {0}.
    form.too-many
    > Se ha elegido demasiado.
    ! Elija como máximo {0}.
    form.checking
    > Se está comprobando.
    form.unchecked
    > No se ha podido comprobar. Puede continuar.
    form.refused
    > No se ha aceptado lo que ha introducido.
    form.one-mistake = Una entrada requiere su atención
    form.mistakes = {0} entradas requieren su atención
    form.line
    > {0}: {1}
    form.full-line
    > {0}: {1} {2}
    """
}
