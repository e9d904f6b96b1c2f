"""Chromium for tests of pages, and axe-core in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from patience import waits

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def chromium() -> Iterator[Any]:
    """A browser for a fixture to yield from; the tests are skipped where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed (extra docs)")
    if not (CHROMIUM and DRIVER):
        pytest.skip("Chromium and its driver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield opened
    opened.quit()


def serious(browser: Any) -> list[str]:
    """The rules of axe that the page breaks, of those it calls serious or critical."""
    browser.execute_script(Path(os.environ["DPBENCH_AXE"]).read_text(encoding="utf-8"))
    with waits() as seconds:
        browser.set_script_timeout(seconds)
        return list(
            browser.execute_async_script(
                "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then(r => done("
                "r.violations.filter(v => ['serious', 'critical'].includes(v.impact)).map(v => v.id)))"
            )
        )
