"""Signatures are those of standardwebhooks.com, and nothing else passes."""

import base64

import pytest

from windlass.core.errors import BadInput
from windlass.executors.signing import BadSignature, Signer, verify

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105
OTHER = "whsec_" + base64.b64encode(b"another secret of 32 bytes long!").decode()
NOW = 1_614_265_330
BODY = b'{"test": 2432232314}'


def signed(*secrets: str, host: str = "hooks.example", body: bytes = BODY) -> dict[str, str]:
    """The headers of a webhook."""
    headers = Signer(secrets).headers(host, "msg_p5jXN8AQM9LWM0D4loKWxJek", body, NOW)
    return {"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", **headers}


def test_a_signature_is_the_one_of_the_standard() -> None:
    assert signed(SECRET)["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert signed(SECRET)["webhook-timestamp"] == "1614265330"


def test_a_receiver_with_the_secret_can_tell() -> None:
    verify([SECRET], signed(SECRET), BODY, NOW)
    verify([SECRET], signed(SECRET), BODY, NOW + 299)
    verify([OTHER, SECRET], signed(SECRET), BODY, NOW - 299)


def test_while_a_secret_is_replaced_both_are_good() -> None:
    headers = signed(SECRET, OTHER)

    verify([SECRET], headers, BODY, NOW)
    verify([OTHER], headers, BODY, NOW)


def test_a_host_may_have_a_secret_of_its_own() -> None:
    secrets = (SECRET, f"hooks.example={OTHER}")

    verify([OTHER], signed(*secrets), BODY, NOW)
    verify([SECRET], signed(*secrets, host="else.example"), BODY, NOW)
    with pytest.raises(BadSignature):
        verify([SECRET], signed(*secrets), BODY, NOW)


def test_who_has_a_secret_for_another_host_only_signs_nothing() -> None:
    assert "webhook-signature" not in signed(f"else.example={SECRET}")


@pytest.mark.parametrize(
    ("change", "body", "now"),
    [
        ({}, BODY + b" ", NOW),
        ({}, b'{"test":2432232314}', NOW),
        ({}, BODY, NOW + 301),
        ({}, BODY, NOW - 301),
        ({"webhook-timestamp": str(NOW + 1)}, BODY, NOW),
        ({"webhook-timestamp": ""}, BODY, NOW),
        ({"webhook-timestamp": "١٦١٤٢٦٥٣٣٠"}, BODY, NOW),
        ({"webhook-timestamp": "1e9"}, BODY, NOW),
        ({"webhook-timestamp": "9" * 400}, BODY, NOW),
        ({"webhook-timestamp": "9" * 5_000}, BODY, NOW),
        ({"webhook-id": "other"}, BODY, NOW),
        ({"webhook-id": ""}, BODY, NOW),
        ({"webhook-signature": ""}, BODY, NOW),
        ({"webhook-signature": "v1,"}, BODY, NOW),
        ({"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE"}, BODY, NOW),
        ({"webhook-signature": "v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}, BODY, NOW),
        ({"webhook-signature": "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}, BODY, NOW),
        ({"webhook-signature": "v1,ünïcode"}, BODY, NOW),
    ],
)
def test_nothing_else_passes(change: dict[str, str], body: bytes, now: float) -> None:
    with pytest.raises(BadSignature):
        verify([SECRET], {**signed(SECRET), **change}, body, now)


def test_a_dot_in_an_id_moves_nothing_into_the_body() -> None:
    headers = Signer([SECRET]).headers("h", "a", b"1.x", NOW)
    moved = {**headers, "webhook-id": f"a.{NOW}", "webhook-timestamp": "1"}

    with pytest.raises(BadSignature):
        verify([SECRET], moved, b"x", NOW)


@pytest.mark.parametrize("secret", ["hush", "whsec_", "whsec_aHVzaA==", "whsec_hush!", "h=hush"])
def test_a_weak_secret_is_refused_and_not_told(secret: str) -> None:
    with pytest.raises(BadInput, match="random bytes") as refused:
        Signer([secret])

    assert "hush" not in str(refused.value)
    assert "aHVzaA" not in str(refused.value)


def test_no_secret_is_in_a_repr() -> None:
    assert repr(Signer([SECRET, f"hooks.example={OTHER}"])) == "<Signer for , hooks.example>"
