"""What readers are told of a chat model that found no answer, or failed, in their language.

Belongs here: these sentences, in every language that has texts. Not here: when each is said
(`headwater.answering.stand_in`), looking them up, and the sentences of answers without a model (`reader_texts`).
Guarantee: pure; every language has all of them.
"""

from collections.abc import Mapping

DECLINED, UNSUPPORTED, FAILED, BROKE_OFF = "declined", "unsupported", "failed", "broke off"
SAYS, CLOSEST_IN = "the closest says", "the closest is in"

MODEL_TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        DECLINED: "The model found no answer.",
        UNSUPPORTED: "No passage supports what the model wrote.",
        FAILED: "The model did not answer.",
        BROKE_OFF: "Here the model broke off.",
        SAYS: "The closest passage says:",
        CLOSEST_IN: "The closest passage is in {document}.",
    },
    "de": {
        DECLINED: "Das Modell fand keine Antwort.",
        UNSUPPORTED: "Keine Stelle belegt, was das Modell schrieb.",
        FAILED: "Das Modell hat nicht geantwortet.",
        BROKE_OFF: "Hier brach das Modell ab.",
        SAYS: "Die nächste Stelle sagt:",
        CLOSEST_IN: "Am nächsten kommt {document}.",
    },
    "fr": {
        DECLINED: "Le modèle n’a pas trouvé de réponse.",
        UNSUPPORTED: "Aucun passage ne confirme ce que le modèle a écrit.",
        FAILED: "Le modèle n’a pas répondu.",
        BROKE_OFF: "Ici, le modèle s’est interrompu.",
        SAYS: "Le passage le plus proche dit :",
        CLOSEST_IN: "Le passage le plus proche est dans {document}.",
    },
    "es": {
        DECLINED: "El modelo no encontró respuesta.",
        UNSUPPORTED: "Ningún pasaje respalda lo que escribió el modelo.",
        FAILED: "El modelo no respondió.",
        BROKE_OFF: "Aquí se interrumpió el modelo.",
        SAYS: "El pasaje más cercano dice:",
        CLOSEST_IN: "El pasaje más cercano está en {document}.",
    },
    "it": {
        DECLINED: "Il modello non ha trovato una risposta.",
        UNSUPPORTED: "Nessun passaggio conferma ciò che il modello ha scritto.",
        FAILED: "Il modello non ha risposto.",
        BROKE_OFF: "Qui il modello si è interrotto.",
        SAYS: "Il passaggio più vicino dice:",
        CLOSEST_IN: "Il passaggio più vicino è in {document}.",
    },
    "pt": {
        DECLINED: "O modelo não encontrou resposta.",
        UNSUPPORTED: "Nenhuma passagem confirma o que o modelo escreveu.",
        FAILED: "O modelo não respondeu.",
        BROKE_OFF: "Aqui o modelo foi interrompido.",
        SAYS: "A passagem mais próxima diz:",
        CLOSEST_IN: "A passagem mais próxima está em {document}.",
    },
    "nl": {
        DECLINED: "Het model vond geen antwoord.",
        UNSUPPORTED: "Geen passage bevestigt wat het model schreef.",
        FAILED: "Het model heeft niet geantwoord.",
        BROKE_OFF: "Hier brak het model af.",
        SAYS: "De dichtstbijzijnde passage zegt:",
        CLOSEST_IN: "De dichtstbijzijnde passage staat in {document}.",
    },
    "ru": {
        DECLINED: "Модель не нашла ответа.",
        UNSUPPORTED: "Ни один фрагмент не подтверждает того, что написала модель.",
        FAILED: "Модель не ответила.",
        BROKE_OFF: "Здесь модель прервалась.",
        SAYS: "Ближайший фрагмент гласит:",
        CLOSEST_IN: "Ближайший фрагмент: {document}.",
    },
    "ja": {
        DECLINED: "モデルは答えを見つけられませんでした。",
        UNSUPPORTED: "モデルが書いた内容を裏付ける箇所がありません。",
        FAILED: "モデルは回答しませんでした。",
        BROKE_OFF: "ここでモデルの回答が途切れました。",
        SAYS: "最も近い箇所には次のようにあります：",
        CLOSEST_IN: "最も近い箇所は {document} です。",
    },
    "zh": {
        DECLINED: "模型没有找到答案。",
        UNSUPPORTED: "没有段落支持模型所写的内容。",
        FAILED: "模型没有回答。",
        BROKE_OFF: "模型的回答在此中断。",
        SAYS: "最接近的段落写道：",
        CLOSEST_IN: "最接近的段落在 {document} 中。",
    },
    "ko": {
        DECLINED: "모델이 답을 찾지 못했습니다.",
        UNSUPPORTED: "모델이 쓴 내용을 뒷받침하는 부분이 없습니다.",
        FAILED: "모델이 응답하지 않았습니다.",
        BROKE_OFF: "여기서 모델의 응답이 끊겼습니다.",
        SAYS: "가장 가까운 부분의 내용은 다음과 같습니다:",
        CLOSEST_IN: "가장 가까운 부분은 {document} 에 있습니다.",
    },
}
