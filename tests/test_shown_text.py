import pytest
from markupsafe import Markup

from deepassay.score import Signature
from deepassay.text import visible_text, web_address


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//host.example/x",
        "https:///x",
        "http://[::1",
        "vbscript:x",
        "",
    ],
)
def test_only_web_addresses_are_led_to(url):
    assert web_address(url) is None


@pytest.mark.parametrize("url", ["https://a.example/x?y=1#z", "HTTP://a.example"])
def test_a_web_address_stays_as_it_is(url):
    assert web_address(url) == url


def test_controls_are_shown_as_pictures_and_none_is_left():
    assert visible_text("\x1b[31m\u202ea\ud800\tb\n") == "␛[31m�a�\tb\n"


def test_a_value_of_another_kind_is_shown_by_its_text():
    assert visible_text(7) == "7"
    assert visible_text(Signature({"judge": "\x1b"})) == "judge:␛"


def test_what_was_escaped_before_stays():
    assert visible_text(Markup("<b>")) == "<b>"
