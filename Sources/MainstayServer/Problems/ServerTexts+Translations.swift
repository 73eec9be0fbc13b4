// SPDX-License-Identifier: Apache-2.0

/// The form is told at `BuiltInTexts.parsed` in the core.
extension ServerTexts {
  static let german = """
    busy = Der Dienst ist ausgelastet
    > Es kam mehr auf einmal, als der Dienst beantworten kann. Es liegt nicht an Ihnen.
    ! Versuchen Sie es gleich noch einmal.
    host-unknown = Unter diesem Namen gibt es den Dienst nicht
    > Diese Anfrage ging an einen Namen, der nicht zu diesem Dienst gehört.
    ! Verwenden Sie die Adresse, unter der der Dienst bekannt ist.
    idempotency-key-missing = Ein Schlüssel fehlt
    > Diese Anfrage braucht das Feld {0}, damit sie nie zweimal ausgeführt wird.
    ! Senden Sie mit jeder neuen Anfrage einen neuen Schlüssel, bei einer Wiederholung denselben.
    idempotency-key-invalid = Der Schlüssel kann nicht verwendet werden
    > Das Feld {0} muss {1} bis {2} druckbare Zeichen haben.
    ! Gut geeignet ist eine UUID.
    idempotency-running = Das wird bereits ausgeführt
    > Dieselbe Anfrage ist schon eingegangen und noch nicht beantwortet.
    ! Wiederholen Sie sie gleich mit demselben Schlüssel.
    idempotency-key-reused = Der Schlüssel gehört zu einer anderen Anfrage
    > Der Schlüssel im Feld {0} kam schon mit einer anderen Anfrage.
    ! Senden Sie mit jeder neuen Anfrage einen neuen Schlüssel.
    idempotency-answer-lost = Das wurde bereits ausgeführt
    > Dieselbe Anfrage wurde schon ausgeführt. Die Antwort wurde nicht aufbewahrt.
    """

  static let spanish = """
    busy = El servicio está ocupado
    > Ha llegado más a la vez de lo que el servicio puede atender. No es culpa suya.
    ! Vuelva a intentarlo dentro de un momento.
    host-unknown = No se puede acceder al servicio con este nombre
    > Esta solicitud se ha enviado a un nombre que no pertenece al servicio.
    ! Use la dirección con la que se conoce el servicio.
    idempotency-key-missing = Falta una clave
    > Esta solicitud necesita el campo {0} para que nunca se ejecute dos veces.
    ! Envíe una clave nueva con cada solicitud nueva, y la misma cuando la repita.
    idempotency-key-invalid = La clave no se puede usar
    > El campo {0} debe tener de {1} a {2} caracteres imprimibles.
    ! Un UUID es una buena clave.
    idempotency-running = Esto ya se está haciendo
    > La misma solicitud ha llegado antes y aún no se ha respondido.
    ! Repítala con la misma clave dentro de un momento.
    idempotency-key-reused = La clave pertenece a otra solicitud
    > La clave del campo {0} ya ha llegado con otra solicitud.
    ! Envíe una clave nueva con cada solicitud nueva.
    idempotency-answer-lost = Esto ya se ha hecho
    > La misma solicitud ya se ha ejecutado. Su respuesta no se ha guardado.
    """

  static let french = """
    busy = Le service est occupé
    > Le service a reçu plus de demandes qu’il ne peut traiter. Vous n’y êtes pour rien.
    ! Réessayez dans un instant.
    host-unknown = Le service n’est pas accessible sous ce nom
    > Cette demande a été envoyée à un nom qui n’appartient pas au service.
    ! Utilisez l’adresse sous laquelle le service est connu.
    idempotency-key-missing = Une clé est manquante
    > Cette demande nécessite le champ {0}, afin de ne jamais être exécutée deux fois.
    ! Envoyez une nouvelle clé avec chaque nouvelle demande, et la même pour la répéter.
    idempotency-key-invalid = La clé est inutilisable
    > Le champ {0} doit comporter de {1} à {2} caractères imprimables.
    ! Un UUID convient bien comme clé.
    idempotency-running = Cela est déjà en cours
    > La même demande est arrivée auparavant et n’a pas encore reçu de réponse.
    ! Répétez-la avec la même clé dans un instant.
    idempotency-key-reused = La clé appartient à une autre demande
    > La clé du champ {0} a déjà accompagné une autre demande.
    ! Envoyez une nouvelle clé avec chaque nouvelle demande.
    idempotency-answer-lost = Cela a déjà été fait
    > La même demande a déjà été exécutée. Sa réponse n’a pas été conservée.
    """

  static let japanese = """
    busy = サービスが混み合っています
    > サービスが応答できる量を超える要求が一度に届きました。お客様に問題はありません。
    ! しばらくしてから、もう一度お試しください。
    host-unknown = この名前ではサービスを利用できません
    > このリクエストは、このサービスのものではない名前に送信されました。
    ! サービスの正しいアドレスをお使いください。
    idempotency-key-missing = キーがありません
    > 二重に実行されないように、このリクエストにはフィールド{0}が必要です。
    ! 新しいリクエストごとに新しいキーを送信し、再送するときは同じキーをお使いください。
    idempotency-key-invalid = このキーは使えません
    > フィールド{0}は、{1}〜{2}文字の印字できる文字で指定する必要があります。
    ! キーにはUUIDが適しています。
    idempotency-running = すでに実行中です
    > 同じリクエストをすでに受け取っており、まだ応答していません。
    ! しばらくしてから、同じキーでもう一度送信してください。
    idempotency-key-reused = このキーは別のリクエストのものです
    > フィールド{0}のキーは、以前に別のリクエストで使われています。
    ! 新しいリクエストごとに新しいキーを送信してください。
    idempotency-answer-lost = すでに実行されています
    > 同じリクエストはすでに実行されています。応答は保存されていません。
    """

  static let simplifiedChinese = """
    busy = 服务繁忙
    > 同时收到的请求超出了服务的处理能力。这不是您的问题。
    ! 请稍后重试。
    host-unknown = 无法通过此名称访问该服务
    > 此请求发送到了不属于该服务的名称。
    ! 请使用该服务的已知地址。
    idempotency-key-missing = 缺少标识
    > 此请求需要字段 {0}，以确保绝不会执行两次。
    ! 请为每个新请求发送新的标识，重复请求时使用相同的标识。
    idempotency-key-invalid = 标识无法使用
    > 字段 {0} 必须包含 {1} 到 {2} 个可打印的字符。
    ! 建议使用 UUID 作为标识。
    idempotency-running = 此操作正在进行
    > 之前已收到相同的请求，目前尚未回应。
    ! 请稍后使用相同的标识再次发送。
    idempotency-key-reused = 标识属于另一个请求
    > 字段 {0} 中的标识之前已用于另一个请求。
    ! 请为每个新请求发送新的标识。
    idempotency-answer-lost = 此操作已完成
    > 相同的请求之前已执行完毕。回应内容未能保留。
    """
}
