"""How Chinese asks what there is, and how many: parts of rules for other modules.

Belongs here: wordings of Chinese that ask for a list or a number. Not here: what is done with a question of a kind
(`inventory`). Guarantee: pure; these are parts of regular expressions for a question in one line without the marks at
its end.
"""

_NAME = r"[^?？，。、有]{1,20}?"
_COUNTED = r"(?:个|道|种|篇|份|条|项|款|类|本|张)?"
_ALL = r"(?:一共|总共|都|共)?"
_HERE = rf"(?:(?:这里|(?:这|本)?(?:个|些)?(?:知识库|文档|文件|资料|网站))(?:里面?|中)?)?{_ALL}"
_NO_THING = r"(?!区别|差别|不同|用|好处|坏处|意义|关系|问题|办法|方法|影响|要求|内容|文档)"
LISTED_ZH = (
    rf"^{_HERE}(?:有|包括|包含)(?:哪些|什么样?的?){_NO_THING}(?P<subject>{_NAME})(?P<rest>)$",
    rf"^(?P<subject>{_NAME})(?P<rest>){_ALL}(?:有|包括|包含)哪些(?:种类?|类型)?$",
    rf"^(?:请)?(?:列出|列举)(?:一下)?(?:所有|全部)?的?(?P<subject>{_NAME})(?P<rest>)$",
)
"""The members of a family are asked for."""
COUNTED_ZH = (
    rf"^{_HERE}有(?:多少|几){_COUNTED}(?P<subject>{_NAME})(?P<rest>)$",
    rf"^(?P<subject>{_NAME})(?P<rest>){_ALL}有(?:多少|几){_COUNTED}$",
)
"""Their number is asked for."""
