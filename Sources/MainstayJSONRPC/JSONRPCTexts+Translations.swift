// SPDX-License-Identifier: Apache-2.0

/// The form is told at `BuiltInTexts.parsed` in the core.
extension JSONRPCTexts {
  static let german = """
    parse-error = Der Dienst konnte die Anfrage nicht lesen
    > Beim Dienst ist etwas angekommen, das er nicht lesen konnte.
    ! Aktualisieren Sie die App. Wenn es wieder passiert, wenden Sie sich an den Support.
    invalid-request = Der Dienst hat die Anfrage nicht angenommen
    > Die App hat auf eine Weise gefragt, die der Dienst nicht annimmt.
    ! Aktualisieren Sie die App. Wenn es wieder passiert, wenden Sie sich an den Support.
    method-not-found = Der Dienst kann dies nicht
    > Die App hat um etwas gebeten, das der Dienst nicht anbietet.
    ! Aktualisieren Sie die App. Wenn es wieder passiert, wenden Sie sich an den Support.
    invalid-params = Der Dienst hat die Anfrage nicht angenommen
    > Die App hat Werte gesendet, die der Dienst nicht annimmt.
    ! Aktualisieren Sie die App. Wenn es wieder passiert, wenden Sie sich an den Support.
    internal-error = Der Dienst hat ein Problem
    > Im Dienst ist etwas schiefgegangen.
    ! Versuchen Sie es gleich noch einmal.
    """

  static let spanish = """
    parse-error = El servicio no ha podido leer la solicitud
    > Al servicio le ha llegado algo que no ha podido leer.
    ! Actualice la app. Si vuelve a ocurrir, póngase en contacto con soporte.
    invalid-request = El servicio no ha aceptado la solicitud
    > La app ha hecho la solicitud de una forma que el servicio no acepta.
    ! Actualice la app. Si vuelve a ocurrir, póngase en contacto con soporte.
    method-not-found = El servicio no puede hacer esto
    > La app ha pedido algo que el servicio no ofrece.
    ! Actualice la app. Si vuelve a ocurrir, póngase en contacto con soporte.
    invalid-params = El servicio no ha aceptado la solicitud
    > La app ha enviado valores que el servicio no acepta.
    ! Actualice la app. Si vuelve a ocurrir, póngase en contacto con soporte.
    internal-error = El servicio tiene un problema
    > Algo ha ido mal dentro del servicio.
    ! Inténtelo de nuevo dentro de un momento.
    """

  static let french = """
    parse-error = Le service n’a pas pu lire la demande
    > Le service a reçu quelque chose qu’il n’a pas pu lire.
    ! Mettez l’app à jour. Si cela se reproduit, contactez l’assistance.
    invalid-request = Le service n’a pas accepté la demande
    > L’app a formulé sa demande d’une manière que le service n’accepte pas.
    ! Mettez l’app à jour. Si cela se reproduit, contactez l’assistance.
    method-not-found = Le service ne peut pas faire cela
    > L’app a demandé quelque chose que le service ne propose pas.
    ! Mettez l’app à jour. Si cela se reproduit, contactez l’assistance.
    invalid-params = Le service n’a pas accepté la demande
    > L’app a envoyé des valeurs que le service n’accepte pas.
    ! Mettez l’app à jour. Si cela se reproduit, contactez l’assistance.
    internal-error = Le service a un problème
    > Un problème est survenu au sein du service.
    ! Réessayez dans un instant.
    """

  static let japanese = """
    parse-error = サービスがリクエストを読み取れませんでした
    > サービスが受け取った内容を読み取れませんでした。
    ! アプリをアップデートしてください。繰り返す場合は、サポートにお問い合わせください。
    invalid-request = サービスがリクエストを受け付けませんでした
    > アプリが、サービスの受け付けない形でリクエストしました。
    ! アプリをアップデートしてください。繰り返す場合は、サポートにお問い合わせください。
    method-not-found = サービスはこの操作に対応していません
    > アプリが、サービスの提供していないことを求めました。
    ! アプリをアップデートしてください。繰り返す場合は、サポートにお問い合わせください。
    invalid-params = サービスがリクエストを受け付けませんでした
    > アプリが、サービスの受け付けない値を送信しました。
    ! アプリをアップデートしてください。繰り返す場合は、サポートにお問い合わせください。
    internal-error = サービスに問題が起きています
    > サービスの内部で問題が起きました。
    ! しばらくしてからもう一度お試しください。
    """

  static let simplifiedChinese = """
    parse-error = 服务无法读取请求
    > 服务收到了无法读取的内容。
    ! 请更新 App。如果再次发生，请联系支持团队。
    invalid-request = 服务没有接受请求
    > App 发出请求的方式不被服务接受。
    ! 请更新 App。如果再次发生，请联系支持团队。
    method-not-found = 服务无法执行此操作
    > App 请求了服务不提供的内容。
    ! 请更新 App。如果再次发生，请联系支持团队。
    invalid-params = 服务没有接受请求
    > App 发送了服务不接受的值。
    ! 请更新 App。如果再次发生，请联系支持团队。
    internal-error = 服务出现问题
    > 服务内部出现了问题。
    ! 请稍后重试。
    """
}
