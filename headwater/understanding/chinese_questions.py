"""How Chinese asks what there is, and how many: parts of rules for other modules.

Belongs here: wordings of Chinese that ask for a list or a number. Not here: what is done with a question of a kind
(`inventory`). Guarantee: pure; these are parts of regular expressions for a question in one line without the marks at
its end.
"""

_NO_FACT = r"^(?!.*(?:为什么|为何|怎么|如何|如果|是否|没有|还有))"  # it asks for a reason, a way, or what is beside
_NAME = r"[^?？，。、有]{1,20}?"
_MEASURE = r"(?:个|道|种|篇|份|条|项|款|类|本|张|台|章|节|位|名|只|首|段|家)"  # of price or weight nothing is counted
_ALL = r"(?:一共|总共|都|共)?"
_HERE = rf"(?:(?:这里|(?:这|本)?(?:个|些)?(?:知识库|文档|文件|资料|网站))(?:里面?|中)?)?{_ALL}"
_NO_THING = r"(?!区别|差别|不同|用|好处|坏处|意义|关系|问题|办法|方法|影响|要求|内容|文档|意思|时候|原因)"
LISTED_ZH = (
    rf"{_NO_FACT}{_HERE}(?:有|包括|包含)哪些{_NO_THING}(?P<subject>{_NAME})(?P<rest>)$",
    rf"{_NO_FACT}(?P<subject>{_NAME})(?P<rest>){_ALL}(?:有|包括|包含)哪些(?:种类?|类型)?$",
    rf"{_NO_FACT}(?:请)?(?:列出|列举)(?:一下)?(?:所有|全部)?的?(?!一下$)(?P<subject>{_NAME})(?P<rest>)$",
)
"""The members of a family are asked for."""
COUNTED_ZH = (
    rf"{_NO_FACT}{_HERE}有(?:多少{_MEASURE}?|几{_MEASURE})(?!钱|年|时间|天|小时|分钟)(?P<subject>{_NAME})(?P<rest>)$",
    rf"{_NO_FACT}(?P<subject>{_NAME})(?P<rest>){_ALL}有(?:多少|几){_MEASURE}$",
)
"""Their number is asked for."""
