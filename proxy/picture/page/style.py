"""How the page looks. Nothing is fetched: the fonts are the reader's own."""

STYLE = """\
:root{--ink:#1f2933;--soft:#52606d;--line:#d9dee4;--red:#a34700;--paper:#fff}
*{box-sizing:border-box}
body{margin:0;background:#f3f5f7;color:var(--ink);font:15px/1.45 ui-sans-serif,system-ui,"Segoe UI",Roboto,\
"Helvetica Neue",Arial,sans-serif}
main{max-width:1260px;margin:0 auto;padding:20px 20px 48px}
h1{font-size:20px;margin:0 0 2px}
h2{font-size:16px;margin:26px 0 8px}
p{margin:2px 0}
code{font:13px/1.4 ui-monospace,"SF Mono",Menlo,Consolas,monospace;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.three{display:grid;grid-template-columns:repeat(3,1fr);gap:12px;margin:16px 0}
.three div{background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:10px 14px}
.three b{display:block;font-size:24px;line-height:1.2}
.picture{background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:10px 12px 8px}
.picture svg{display:block;width:100%;height:auto}
.tools{display:flex;flex-wrap:wrap;gap:4px 18px;align-items:center;color:var(--soft);font-size:13.5px;margin-bottom:6px}
.tools label{color:var(--ink);cursor:pointer;padding:2px 0}
main:not(:has(#by-time:checked)) .by-time,main:has(#by-time:checked) .by-turn{display:none!important}
.narrow{display:none!important}
.tick{outline:none}
svg .tick:focus,svg .tick.near{stroke:#000;stroke-width:2.4}
.arcs.dim .arc{stroke-opacity:.15}
.arcs .arc.lit{stroke-opacity:1;stroke-width:3}
.band{cursor:pointer;outline:none}
.band:focus rect:nth-of-type(2),.band:hover rect:nth-of-type(2){fill-opacity:.32}
.band:focus text{text-decoration:underline}
ul.legend{list-style:none;display:flex;flex-wrap:wrap;gap:3px 16px;margin:10px 2px 4px;padding:0;font-size:13px}
ul.legend svg{display:inline-block;width:14px;height:14px;vertical-align:-2px;margin-right:5px}
ul.notes{margin:4px 2px 0;padding:0 0 0 16px;color:var(--soft);font-size:12.5px}
#tip{position:absolute;z-index:2;max-width:min(380px,calc(100vw - 24px));background:#1f2933;color:#fff;\
border-radius:6px;padding:7px 10px;font-size:13px;line-height:1.4;white-space:pre-line;overflow-wrap:anywhere;\
pointer-events:none;box-shadow:0 2px 10px rgba(0,0,0,.25)}
details.bill{background:var(--paper);border:1px solid var(--line);border-radius:8px;margin:8px 0}
details.bill[open]{border-color:#c08552}
details.bill>summary{padding:10px 14px;cursor:pointer;overflow-wrap:anywhere}
details.bill>div{padding:0 14px 14px}
summary b{color:var(--red)}
table{border-collapse:collapse;width:100%;font-size:13.5px;margin:6px 0 12px}
th,td{text-align:left;padding:4px 10px 4px 0;border-bottom:1px solid #edf0f2;vertical-align:top;overflow-wrap:anywhere}
th{font-weight:600;color:var(--soft)}
td.n,th.n{text-align:right;white-space:nowrap}
table.sum{max-width:680px}
table.sum td:last-child{overflow-wrap:normal}
tr.total td{font-weight:600;border-bottom:1px solid var(--ink)}
tr.again td:first-child{color:var(--red);font-weight:600}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f6f7f9;border:1px solid var(--line);border-radius:6px;\
padding:8px;max-height:320px;overflow-y:auto;font-size:12.5px}
:focus-visible{outline:2px solid #0072b2;outline-offset:2px}
@media (max-width:820px){
main{padding:12px 10px 40px}
.wide{display:none!important}
.narrow{display:block!important}
.picture svg.narrow{max-width:600px;margin:0 auto}
.three{gap:6px}
.three div{padding:8px}
.three b{font-size:18px}
.three span{font-size:12.5px}
.picture{padding:8px 4px}
.extra{display:none}
}
@media print{body{background:#fff}details.bill{break-inside:avoid}}
"""
