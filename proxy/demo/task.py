"""What the scripted model does about the wrong timeout: 24 turns with one compaction in the middle.

The re-reads after the compaction are not written here: the steps say what they need to see, and the policy reads again
what is no longer there.
"""

from __future__ import annotations

from proxy.demo import project
from proxy.scripted.actions import Read, Run, Say, Search, Think, Write
from proxy.scripted.script import Habits, Need, Script, Step

HABITS = Habits(other_range=1.0)
"""Re-reads that know which lines they need ask only for those."""

CONFIG = Need(path="service/config.py", shows=project.WRONG)
DEPLOYMENT = Need(path="config/app.yaml", shows="request_timeout_s: 5")
POOL = Need(path="service/db.py", shows="def db_request_limit_0", part=(1, 80))

_FILES = project.files()
_FIXED_CONFIG = _FILES["service/config.py"].replace(project.WRONG, project.RIGHT)
_FIXED_DEPLOYMENT = _FILES["config/app.yaml"].replace("request_timeout_s: 5", "request_timeout_s: 30")

SCRIPT = Script(
    name="timeout",
    steps=(
        Step(do=(Say("I look for where timeouts are set."), Search("timeout"))),
        Step(do=(Read("config/app.yaml"),)),
        Step(do=(Search("REQUEST_TIMEOUT_S"),)),
        Step(do=(Read("docs/runbook.md"),)),
        Step(do=(Read("service/config.py"),)),
        Step(do=(Read("service/http.py"),)),
        Step(do=(Read("service/db.py"),)),
        Step(do=(Read("logs/startup.log"),)),
        Step(do=(Read("service/retry.py"),)),
        Step(do=(Run("check_timeout"),)),
        # The agent compacts about here.
        Step(do=(Think("Both places must change."), Search("pool_limit")), needs=(CONFIG, DEPLOYMENT)),
        Step(do=(Read("service/health.py"),), needs=(POOL,)),
        Step(do=(Search("503"),)),
        Step(do=(Write("service/config.py", _FIXED_CONFIG),)),
        Step(do=(Read("service/config.py"),)),
        Step(do=(Run("check_timeout"),)),
        Step(do=(Write("config/app.yaml", _FIXED_DEPLOYMENT),)),
        Step(do=(Search("request_timeout_s"),)),
        Step(do=(Run("check_timeout"),)),
        Step(do=(Say("The request timeout is 30 seconds in both places, and check_timeout passes."),)),
    ),
    carries=(
        "Goal: the request timeout must be 30 seconds; the check check_timeout decides.",
        "It is set in service/config.py (REQUEST_TIMEOUT_S) and again in config/app.yaml, which wins.",
        "check_timeout has failed so far: it expects 30 in both files.",
        "docs/runbook.md forbids to raise a limit above ten times its default; 30 is six times, so it may be done.",
        "logs/startup.log shows requests that were given up after five seconds; nothing else is wrong there.",
        "service/http.py and service/retry.py take the timeout from service/config.py and need no change.",
        "service/db.py has a request limit of its own at its beginning, to be looked at before the end.",
        "Next: look at both files again, write them, and run check_timeout.",
    ),
)

SYSTEM = (
    "You are a careful software engineer. Work in the project folder with the tools you are given. Read before you "
    f"write, change as little as possible, and prove your work with the project's own checks.\n\n{project.handbook()}"
)
PROMPT = f"Requests to slow peers fail. Make the request timeout 30 seconds and prove it. {SCRIPT.marker}"
