"""Teach my copy: the rosette explained, its photo, and what was learned from it."""

import io
from collections import OrderedDict
from threading import Lock
from typing import Any

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.history.checking import is_hexadecimal, readable
from companion.history.games import SNAPSHOT
from companion.history.profiles import (
    LONGEST_NAME,
    KeptProfile,
    change_profile,
    find_profile,
    keep_profile,
    kept_profiles,
    remove_profile,
    rename_profile,
    use_profile,
)
from companion.languages import gettext as _
from companion.languages import translated
from companion.pages.shared import companion, find_game, history, keep_upload
from engine import Position
from vision.kinds import SHOWN

teaching = Blueprint("teaching", __name__)

ROSETTE = ".../.yv./.o(bvyorg)b./.rg./..."
"""A picture of the rosette in the colours of the page; in which order they come round differs from copy to copy."""
REMEMBERED = 16
LESSONS = ("taught", "nothing-new", "contradicted", "other-copy", "known-photo")
"""What learning from a photo can come to, as `calibration.remarks` calls it."""


@teaching.get("/copy")
def start() -> str:
    """Explain the rosette, and show the profiles there are."""
    return render_template("copy.html", rosette=Position.parse(ROSETTE), kept=kept_profiles(history()), said=_said())


@teaching.post("/copy/photos")
def learn() -> AnyResponse:
    """Learn a copy of the game from a photo of its rosette; it is used from now on."""
    photo = keep_upload(shows_board=False)
    found = _studied(photo.sha256)
    if not found["profile"]:
        return redirect(url_for("teaching.wrong", sha256=photo.sha256), 303)
    profile = keep_profile(history(), _free_name(), found["profile"], photo.sha256)
    return redirect(url_for("teaching.show", profile=profile), 303)


@teaching.post("/copy/practice/<game>")
def practise(game: str) -> AnyResponse:
    """Learn from a scored photo on which nothing is open any more; without a profile, begin one with it."""
    sheet = find_game(game, SNAPSHOT).sheet
    if sheet is None or not sheet.position or sheet.unsure:
        abort(404)
    known = next((kept for kept in kept_profiles(history()) if kept.is_used), None)
    path = history().photo_path(history().photo(sheet.photo))
    lesson = companion().reader.practise(path, known.text if known else "", sheet.position)
    told = {"remark": lesson["remark"], "count": lesson["words"].get("count")}
    if not lesson["learned"]:
        return redirect(url_for("teaching.start" if known is None else "teaching.show", **_to(known), **told), 303)
    if known is None:
        profile = keep_profile(history(), _free_name(), lesson["profile"], sheet.photo)
    else:
        profile = known.id
        change_profile(history(), profile, lesson["profile"])
    return redirect(url_for("teaching.show", profile=profile, **told), 303)


@teaching.post("/copy/<profile>/forget")
def forget(profile: str) -> AnyResponse:
    """Take back what was learned from one photo; the rosette it began with stays."""
    from calibration import forget_photo, from_text, to_text

    kept = _find(profile)
    name = request.form.get("photo", "")
    changed = forget_photo(from_text(kept.text), name) if is_hexadecimal(name, 16) else None
    if changed is None:
        abort(400)
    change_profile(history(), kept.id, to_text(changed))
    return redirect(url_for("teaching.show", profile=profile), 303)


@teaching.get("/copy/wrong/<sha256>")
def wrong(sha256: str) -> str:
    """Show what is wrong with a rosette, on its photo."""
    from calibration.remarks import Remark

    try:
        photo = history().photo(sha256)
    except KeyError:
        abort(404)
    found = _studied(sha256)
    faults = [Remark(fault["key"], fault["words"], tuple(fault["cells"])) for fault in found["faults"]]
    cells = {cell for fault in faults for cell in fault.cells}
    return render_template(
        "copy_wrong.html",
        photo=photo,
        faults=[fault.said(translated) for fault in faults],
        marked=[found["centres"][cell] for cell in sorted(cells)],
        reach=found["reach"],
    )


@teaching.get("/copy/<profile>")
def show(profile: str) -> str:
    """Show what was learned: the eight faces, the order of the colours, and which faces are close."""
    from calibration import described, from_text  # here and below: the eye is loaded by those who need it

    kept = _find(profile)
    learned = from_text(kept.text)
    return render_template(
        "copy_learned.html",
        kept=kept,
        remarks=[remark.said(translated) for remark in described(learned)],
        faces=SHOWN,
        ring=learned.ring,
        photo=history().find_photo(kept.photo) if kept.photo else None,
        evenings=[sitting.photo for sitting in learned.sittings[1:]],
        said=_said(),
    )


@teaching.get("/copy/<profile>/face-<int:number>.png")
def face(profile: str, number: int) -> Response:
    """Show one of the eight faces as it was learned."""
    from PIL import Image

    from calibration import from_text

    tiles = from_text(_find(profile).text).sittings[0].tiles
    if not 0 <= number < len(tiles):
        abort(404)
    out = io.BytesIO()
    Image.fromarray(tiles[number][:, :, ::-1]).save(out, "PNG")
    return Response(out.getvalue(), mimetype="image/png")


@teaching.get("/copy/<profile>.json")
def download(profile: str) -> Response:
    """Give a profile as a file, for the command line."""
    answer = Response(_find(profile).text, mimetype="application/json")
    answer.headers["Content-Disposition"] = f'attachment; filename="serendipity-copy-{profile}.json"'
    return answer


@teaching.post("/copy/use")
def use() -> AnyResponse:
    """Read with another profile from now on, or with none."""
    try:
        use_profile(history(), request.form.get("profile") or None)
    except KeyError:
        abort(404)
    return redirect(url_for("teaching.start"), 303)


@teaching.post("/copy/<profile>/name")
def rename(profile: str) -> AnyResponse:
    """Give a profile another name."""
    kept = _find(profile)
    name = " ".join(readable(request.form.get("name", ""), LONGEST_NAME).split())
    rename_profile(history(), kept.id, name or kept.name)
    return redirect(url_for("teaching.show", profile=profile), 303)


@teaching.post("/copy/<profile>/remove")
def remove(profile: str) -> AnyResponse:
    """Forget a profile."""
    remove_profile(history(), _find(profile).id)
    return redirect(url_for("teaching.start"), 303)


def _free_name() -> str:
    names = {kept.name for kept in kept_profiles(history())}
    own = _("My copy")
    return next(name for name in (own, *(f"{own} {n}" for n in range(2, 1000))) if name not in names)


def _to(known: KeptProfile | None) -> dict[str, Any]:
    return {} if known is None else {"profile": known.id}


def _said() -> str:
    """Return what the last lesson came to, from the address; only sentences of our own."""
    from calibration.remarks import Remark

    key = request.args.get("remark", "")
    return Remark(key, {"count": request.args.get("count", 0, type=int)}).said(translated) if key in LESSONS else ""


def _find(profile: str) -> KeptProfile:
    try:
        return find_profile(history(), profile)
    except KeyError:
        abort(404)


_studied_before: "OrderedDict[str, dict[str, Any]]" = OrderedDict()
_lock = Lock()


def _studied(sha256: str) -> dict[str, Any]:
    """Return what a photo of a rosette teaches; the last few are remembered, since the next page asks again."""
    with _lock:
        found = _studied_before.get(sha256)
    if found is None:
        found = companion().reader.study(history().photo_path(history().photo(sha256)))
        with _lock:
            _studied_before[sha256] = found
            while len(_studied_before) > REMEMBERED:
                _studied_before.popitem(last=False)
    return found
