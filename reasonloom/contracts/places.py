"""Names of spaces: `me`, `me/notes`, `team/payments`, `team/payments/notes`, `user/anna/notes`."""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from reasonloom.contracts.caller import DEFAULT_SPACE
from reasonloom.errors import InvalidArgument

ME = "me"
TEAM = "team/"
GROUP = "group/"
USER = "user/"
MOST_PLACES = 8
"""Spaces that one call can read."""

TEAM_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
FORM = 'must be "me", "me/SPACE", "team/NAME", "team/NAME/SPACE" or "user/NAME/SPACE"'
WHO = 'must name a person such as "anna", a team such as "team/payments" or a group such as '
A_GROUP = '"group/developers"'
LONGEST_GROUP = 200
MOST_GROUPS = 200
"""Groups of a token that are read."""

RESERVED = (TEAM, GROUP)
"""Prefixes that no person's name has, so that no person can pass for a team."""

PLACED_ID = re.compile(r"(?P<place>.+):(?P<id>mem-[0-9]{1,19})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """A space: its owner, None for the caller, and its name there, "" for the owner's default."""

    owner: str | None = None
    space: str = DEFAULT_SPACE

    def name(self) -> str:
        """Return the name by which the space is addressed."""
        end = f"/{self.space}" if self.space else ""
        if self.owner is None:
            return f"{ME}{end}"
        return (self.owner if self.owner.startswith(TEAM) else USER + quote(self.owner, "@|")) + end


HOME = Place()


def is_person(name: str) -> bool:
    """Return whether a name can be a person's: it is neither a team's nor a group's."""
    return not name.startswith(RESERVED)


def check_person(name: str, field: str = "owner") -> str:
    """Return a person's name.

    Raises:
        InvalidArgument: it is named like a team, a group or a space.
    """
    if not is_person(name):
        raise InvalidArgument(
            f"{field}: must not begin with {' or '.join(RESERVED)}, which name teams and groups; "
            "such as anna",
            field=field,
        )
    return name


def check_group(name: str) -> str:
    """Return the name of a group that a token claims.

    Raises:
        InvalidArgument: it is blank, too long, or not printable.
    """
    if not name.strip() or len(name) > LONGEST_GROUP or not name.isprintable():
        reason = f"groups: each must be printable text of 1 to {LONGEST_GROUP} characters"
        raise InvalidArgument(f"{reason}, such as developers", field="groups")
    return name


def parse_place(text: str, field: str) -> Place:
    """Return the space that a name addresses; whether it exists is not checked.

    Raises:
        InvalidArgument: the name has another form.
    """
    kind, _, rest = text.partition("/")
    if kind == ME:
        if text != f"{ME}/":
            return Place(None, rest)
    elif f"{kind}/" in (TEAM, USER):
        name, mark, space = rest.partition("/")
        owner = TEAM + name if kind == "team" else unquote(name)
        fits = TEAM_NAME.fullmatch(name) if kind == "team" else owner.strip()
        if fits and owner.isprintable() and bool(mark) == bool(space):
            return Place(owner, space)
    raise InvalidArgument(f"{field}: {FORM}, such as team/payments", field=field)


def parse_team(text: str, field: str) -> str:
    """Return a team's owner name, such as `team/payments` for `payments` or `team/payments`.

    Raises:
        InvalidArgument: it is no team's name.
    """
    name = text.removeprefix(TEAM)
    if not TEAM_NAME.fullmatch(name):
        raise InvalidArgument(
            f"{field}: must be 1 to 63 of a-z, 0-9, '.', '_' and '-', such as payments", field=field
        )
    return TEAM + name


def parse_grantee(text: str, field: str) -> str:
    """Return the person, team or group that a grant is for.

    Raises:
        InvalidArgument: it names a space, or nobody.
    """
    name = text.strip()
    if name.startswith(TEAM) and TEAM_NAME.fullmatch(name.removeprefix(TEAM)):
        return name
    spaced = name == ME or name.startswith((TEAM, f"{ME}/", USER))
    if spaced or not name.removeprefix(GROUP) or not name.isprintable():
        raise InvalidArgument(f"{field}: {WHO}{A_GROUP}", field=field)
    return name


def split_id(memory_id: str, field: str) -> tuple[Place, str]:
    """Return the space and the id in `team/payments:mem-42`; a plain id is in the caller's space.

    Raises:
        InvalidArgument: what precedes the id is no space's name.
    """
    match = PLACED_ID.fullmatch(memory_id)
    return (parse_place(match["place"], field), match["id"]) if match else (HOME, memory_id)
