"""Photograph a table by tracing the paths of light: true shadows, reflections and glare, with Blender's Cycles.

A drawn board is quick and shows nearly everything; what it lacks is light that behaves. Needs the package `bpy`.
"""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

os.environ["OPENCV_IO_ENABLE_OPENEXR"] = "1"

import bpy
import cv2
import numpy as np
from mathutils import Matrix, Vector

from engine import Position
from engine.position import COVERED, EMPTY, LETTERS, is_serendip
from tests.drawer.camera import Camera, Points, make_camera
from tests.drawer.light import develop, kelvin
from tests.drawer.prints import Image, Print, Random
from tests.drawer.scenes import CORNERS, THICKNESS, Drawing, deal, is_burnt, laid_places, sprite_of
from tests.drawer.tables import draw_table, table_colour

SAMPLES = 6
MARGIN = 1.08
"""How much more is traced than the photo shows: the lens bends it in from outside."""
FLOWERS = (*LETTERS, "S", COVERED)


@dataclass(frozen=True)
class Setting:
    """How a photo is to be taken; `harsh` (0..1) is how difficult the light and the view are."""

    edge: int = 6
    size: tuple[int, int] = (640, 480)
    fill: float | None = None
    harsh: float | None = None
    hand: bool | None = None
    cut: bool | None = None
    held: bool = False
    position: Position | None = None
    board: bool = True
    blur: float = 0.0


def trace_photo(random: Random, printing: Print, setting: Setting, lights: list[Path]) -> Drawing:
    """Lay a board of this print on a table, light it and photograph it."""
    position = setting.position or deal(random, printing.ring, setting.edge)
    harsh = random.random() if setting.harsh is None else setting.harsh
    width, height = setting.size
    tilt = np.radians(np.clip(abs(random.normal(0, 14 + 26 * harsh)), 0, 60))
    cut = random.random() < 0.05 if setting.cut is None else setting.cut
    fill = setting.fill or (random.uniform(1.0, 1.25) if cut else random.uniform(0.5, 0.98))
    camera = make_camera(random, width, height, setting.edge - 0.6, tilt, fill, 0.35 if cut else 0.12)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    places, angles = laid_places(random, setting.edge)
    shine = (random.uniform(0.25, 0.75), float(random.choice([0.0, random.uniform(0, 0.5)])))
    _add_table(random, setting.held)
    if setting.board:
        _add_tiles(random, printing, position.faces, places, angles, shine)
    else:
        _add_tiles(random, printing, ["b"], places[:1] + 40, angles[:1], shine)
    hand = setting.hand if setting.hand is not None else random.random() < 0.08
    _add_clutter(random, printing, setting.edge if setting.board else 0, shine)
    if hand:
        _add_hand(random, setting.edge)
    _add_light(random, harsh, lights)
    scene = _traced(camera)
    image = develop(random, scene, harsh, setting.blur)
    hidden = set(_out_of_sight(camera, places)) if setting.board else set()
    centres = camera.project(places, THICKNESS) - 0.5
    for i, (x, y) in enumerate(centres):
        if not (0 <= x < width and 0 <= y < height) or is_burnt(image, x, y):
            hidden.add(i)
    if not setting.board:
        position = Position((EMPTY,) * len(position.faces), setting.edge)
    return Drawing(image, position, centres, frozenset(hidden), printing.ring)


def _world(points: Points, z: float) -> list[tuple[float, float, float]]:
    """Return points of the board, whose y points towards the viewer, as Blender counts them."""
    return [(float(x), -float(y), z) for x, y in points]


def _material(name: str, colour: Image | tuple[float, ...], rough: float, coat: float = 0.0) -> "bpy.types.Material":
    """Make a surface of one colour (linear BGR) or of a picture."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    surface = material.node_tree.nodes["Principled BSDF"]
    surface.inputs["Roughness"].default_value = rough
    surface.inputs["Coat Weight"].default_value = coat
    surface.inputs["Coat Roughness"].default_value = 0.15
    if isinstance(colour, np.ndarray):
        texture = material.node_tree.nodes.new("ShaderNodeTexImage")
        texture.image = _picture(name, colour)
        material.node_tree.links.new(texture.outputs["Color"], surface.inputs["Base Color"])
    else:
        blue, green, red = colour
        surface.inputs["Base Color"].default_value = (red, green, blue, 1)
    return material


def _picture(name: str, image: Image) -> "bpy.types.Image":
    height, width = image.shape[:2]
    made = bpy.data.images.new(name, width, height)
    rgba = np.ones((height, width, 4), np.float32)
    rgba[..., :3] = image[::-1, :, ::-1] / np.float32(255)
    made.pixels.foreach_set(rgba.ravel())
    made.pack()
    return made


def _add_mesh(
    name: str,
    points: list[tuple[float, float, float]],
    faces: list[list[int]],
    surfaces: list["bpy.types.Material"],
    surface_of: list[int] | None = None,
    uv: list[tuple[float, float]] | None = None,
) -> "bpy.types.Object":
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    for surface in surfaces:
        mesh.materials.append(surface)
    if surface_of is not None:
        mesh.polygons.foreach_set("material_index", surface_of)
    if uv is not None:
        mesh.uv_layers.new().data.foreach_set("uv", np.array(uv, np.float32).ravel())
    made = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(made)
    return made


def _linear(colour: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(float(c / 255) ** 2.2 for c in np.clip(colour, 0, 255))


def _add_table(random: Random, held: bool) -> None:
    reach, turn = random.uniform(14, 40), random.uniform(0, 2 * np.pi)
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * reach
    c, s = np.cos(turn), np.sin(turn)
    surface = _material("table", draw_table(random, 1024, held), random.uniform(0.2, 0.95))
    if random.random() < 0.2:
        square = square * [1, random.uniform(0.25, 0.6)]
    corners = _world(square @ np.array([[c, s], [-s, c]]), 0.0)
    _add_mesh("table", corners, [[3, 2, 1, 0]], [surface], uv=[(0, 1), (1, 1), (1, 0), (0, 0)])


def _add_tiles(
    random: Random,
    printing: Print,
    faces: tuple[str, ...] | list[str],
    places: Points,
    angles: Points,
    shine: tuple[float, float],
    name: str = "board",
) -> None:
    """Lay tiles: one mesh, whose tops show parts of one picture with all faces."""
    sheet = np.concatenate([sprite_of(printing, printing.ring if face == "S" else face)[0] for face in FLOWERS], axis=1)
    points: list[tuple[float, float, float]] = []
    polygons: list[list[int]] = []
    surface_of: list[int] = []
    uv: list[tuple[float, float]] = []
    for face, place, angle in zip(faces, places, angles, strict=True):
        if face == EMPTY:
            continue
        spin = 0.0 if is_serendip(face) else np.pi / 3 * int(random.integers(6))
        c, s = np.cos(angle), np.sin(angle)
        rim = CORNERS @ np.array([[c, s], [-s, c]]) / np.sqrt(3) * 0.985
        lift = random.normal(0, 0.004)
        first = len(points)
        points += _world(rim + place, THICKNESS + lift) + _world(rim * 1.0 + place, 0.0)
        polygons.append([first + k for k in (5, 4, 3, 2, 1, 0)])
        surface_of.append(0)
        turned = angle + spin - sprite_of(printing, face)[1]
        c, s = np.cos(-turned), np.sin(-turned)
        inside = rim @ np.array([[c, s], [-s, c]])
        column = FLOWERS.index("S" if is_serendip(face) else face)
        seen = [((column + 0.5 + x / 2) / len(FLOWERS), 0.5 - y / 2) for x, y in inside]
        uv += [seen[k] for k in (5, 4, 3, 2, 1, 0)]
        for k in range(6):
            after = (k + 1) % 6
            polygons.append([first + k, first + after, first + 6 + after, first + 6 + k])
            surface_of.append(1)
            uv += [(0, 0)] * 4
    tops = _material(f"{name} faces", sheet, *shine)
    _add_mesh(name, points, polygons, [tops, _material(f"{name} sides", _linear(printing.side), 0.8)], surface_of, uv)


def _add_clutter(random: Random, printing: Print, edge: int, shine: tuple[float, float]) -> None:
    """Stand mugs and boxes beside the board, and lay loose tiles there."""
    for k in range(int(random.integers(0, 4))):
        angle, away = random.uniform(0, 2 * np.pi), edge + random.uniform(0.8, 5)
        place = np.array([np.cos(angle), np.sin(angle)]) * away
        kind = str(random.choice(["mug", "box", "tile", "tile"]))
        if kind == "tile":
            face = str(random.choice([COVERED, *LETTERS, printing.ring]))
            _add_tiles(random, printing, [face], place[None], random.uniform(0, 6, 1), shine, f"tile {k}")
            continue
        sides = 24 if kind == "mug" else 4
        around = np.linspace(0, 2 * np.pi, sides, endpoint=False) + random.uniform(0, 2)
        rim = np.stack([np.cos(around), np.sin(around)], 1) * random.uniform(0.5, 1.1) + place
        _add_prism(rim, 0.0, random.uniform(0.5, 2.5), _linear(table_colour(random)), random.uniform(0.1, 0.8))


def _add_prism(rim: Points, low: float, high: float, colour: tuple[float, ...], rough: float) -> None:
    n = len(rim)
    points = _world(rim, low) + _world(rim, high)
    polygons = [[k, (k + 1) % n, n + (k + 1) % n, n + k] for k in range(n)] + [list(range(n, 2 * n))]
    _add_mesh("thing", points, polygons, [_material("thing", colour, rough)])


def _add_hand(random: Random, edge: int) -> None:
    """Hold a hand over the board: a palm, an arm and fingers, all of round sticks."""
    angle = random.uniform(0, 2 * np.pi)
    tip = np.array([np.cos(angle), np.sin(angle)]) * random.uniform(0, edge - 0.5)
    way = np.array([np.cos(angle + 0.5), np.sin(angle + 0.5)])
    across = np.array([-way[1], way[0]])
    tone = random.uniform(0.35, 1.0)
    skin = _material("skin", (0.38 * tone, 0.5 * tone, 0.75 * tone), 0.6)
    sleeve = _material("sleeve", _linear(table_colour(random)), 0.9)
    palm = tip + way * random.uniform(1.2, 1.8)
    sticks = [(palm + way * 0.8, palm + way * 14, 0.55, sleeve), (palm, palm + way * 3, 0.45, skin)]
    sticks += [(palm + across * 0.3, palm - across * 0.3, 0.55, skin)]
    sticks += [
        (palm + across * k * 0.35, tip + across * k * random.uniform(0.3, 0.6), 0.19, skin)
        for k in (-1.5, -0.5, 0.5, 1.5)
    ]
    for start, end, thick, surface in sticks:
        low, high = random.uniform(0.3, 0.6), random.uniform(0.5, 0.9)
        a, b = Vector(_world(start[None], high)[0]), Vector(_world(end[None], low)[0])
        bpy.ops.mesh.primitive_cylinder_add(vertices=12, radius=thick, depth=(b - a).length, location=(a + b) / 2)
        stick = bpy.context.object
        stick.rotation_mode = "QUATERNION"
        stick.rotation_quaternion = (b - a).to_track_quat("Z", "Y")
        stick.data.materials.append(surface)
        for end_of in (a, b):
            bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=thick, location=end_of)
            bpy.context.object.data.materials.append(surface)
    bpy.context.view_layer.update()


def _add_light(random: Random, harsh: float, lights: list[Path]) -> None:
    """Light the room with a panorama, and perhaps with a lamp and something that throws a shadow."""
    world = bpy.data.worlds.new("room")
    bpy.context.scene.world = world
    world.use_nodes = True
    world.cycles.sampling_method, world.cycles.sample_map_resolution = "MANUAL", 256
    nodes, links = world.node_tree.nodes, world.node_tree.links
    panorama = nodes.new("ShaderNodeTexEnvironment")
    panorama.image = bpy.data.images.load(str(lights[int(random.integers(len(lights)))]))
    turn = nodes.new("ShaderNodeMapping")
    turn.inputs["Rotation"].default_value = (0, 0, random.uniform(0, 2 * np.pi))
    links.new(nodes.new("ShaderNodeTexCoord").outputs["Generated"], turn.inputs["Vector"])
    links.new(turn.outputs["Vector"], panorama.inputs["Vector"])
    links.new(panorama.outputs["Color"], nodes["Background"].inputs["Color"])
    nodes["Background"].inputs["Strength"].default_value = random.uniform(0.4, 1.2)
    for _ in range(int(random.random() < 0.35 + 0.6 * harsh) + int(random.random() < 0.15)):
        lamp = bpy.data.lights.new("lamp", "AREA")
        lamp.shape, lamp.size = "DISK", float(random.choice([0.5, 1.5, 4.5]))
        lamp.energy = random.uniform(60, 900)
        lamp.color = tuple(np.clip(kelvin(float(random.choice([2400, 2700, 3000, 4000, 5500, 6500])))[::-1], 0, 3))
        held = bpy.data.objects.new("lamp", lamp)
        place = Vector((*random.normal(0, 4.5, 2), random.uniform(6, 14)))
        held.location = place
        held.rotation_euler = (Vector((*random.normal(0, 1.5, 2), 0)) - place).to_track_quat("-Z", "Y").to_euler()
        bpy.context.collection.objects.link(held)
    if random.random() < 0.2 + 0.4 * harsh:
        angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
        rim = np.stack([np.cos(angles), np.sin(angles)], 1) * random.uniform(0.8, 2.5) + random.normal(0, 4, 2)
        height = random.uniform(3, 8)
        _add_prism(rim, height, height + 0.1, (0.1, 0.1, 0.1), 0.8)
        bpy.context.collection.objects[-1].visible_camera = False


def _axes(camera: Camera) -> tuple[Points, Points]:
    """Return the rows to the right, down and forward of a camera, and where it is, as Blender counts."""
    c, s = np.cos(camera.azimuth), np.sin(camera.azimuth)
    ct, st = np.cos(camera.tilt), np.sin(camera.tilt)
    right, down, ahead = np.array([c, s, 0]), np.array([s * ct, -c * ct, -st]), np.array([-s * st, c * st, -ct])
    away = np.array([-camera.aim[0], -camera.aim[1] * ct, camera.distance + camera.aim[1] * st])
    spot = -np.stack([right, down, ahead]).T @ away
    c, s = np.cos(camera.roll), np.sin(camera.roll)
    return np.stack([c * right - s * down, s * right + c * down, ahead]), spot


def _traced(camera: Camera) -> np.ndarray:
    """Trace what a camera sees, as linear light (height, width, 3) in BGR."""
    rows, spot = _axes(camera)
    scene = bpy.context.scene
    eye = bpy.data.cameras.new("eye")
    held = bpy.data.objects.new("eye", eye)
    turned = np.eye(4)
    turned[:3, 0], turned[:3, 1], turned[:3, 2], turned[:3, 3] = rows[0], -rows[1], -rows[2], spot
    held.matrix_world = Matrix(turned.tolist())
    eye.sensor_fit, eye.sensor_width = "HORIZONTAL", 36.0
    eye.lens = 36.0 * camera.focal / (camera.width * MARGIN)
    eye.clip_end = 1000
    bpy.context.collection.objects.link(held)
    scene.camera = held
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.denoiser = SAMPLES, True, "OPENIMAGEDENOISE"
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.max_bounces, scene.cycles.diffuse_bounces, scene.cycles.glossy_bounces = 3, 2, 2
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.render.threads_mode, scene.render.threads = "FIXED", int(os.environ.get("TRACER_THREADS", "1"))
    scene.render.resolution_x, scene.render.resolution_y = (
        round(camera.width * MARGIN),
        round(camera.height * MARGIN),
    )
    scene.render.image_settings.file_format, scene.render.image_settings.color_depth = "OPEN_EXR", "16"
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        scene.render.filepath = str(Path(folder) / "seen.exr")
        bpy.ops.render.render(write_still=True)
        seen = cv2.imread(scene.render.filepath, cv2.IMREAD_UNCHANGED)[..., :3]
    return _bent(camera, np.minimum(seen, 60.0).astype(np.float32))


def _bent(camera: Camera, seen: np.ndarray) -> np.ndarray:
    """Bend a straight picture as the lens does."""
    y, x = np.mgrid[0 : camera.height, 0 : camera.width].astype(np.float64)
    u, v = (x + 0.5 - camera.width / 2) / camera.focal, (y + 0.5 - camera.height / 2) / camera.focal
    straight = u, v
    for _ in range(6):
        factor = 1 + camera.k1 * (straight[0] ** 2 + straight[1] ** 2)
        straight = u / factor, v / factor
    height, width = seen.shape[:2]
    focal = camera.focal * width / (camera.width * MARGIN)
    columns, rows = (straight[0] * focal + width / 2 - 0.5), (straight[1] * focal + height / 2 - 0.5)
    return cv2.remap(
        seen, columns.astype(np.float32), rows.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )


def _out_of_sight(camera: Camera, places: Points) -> list[int]:
    """Return the tiles of which something hides more than two fifths."""
    _, spot = _axes(camera)
    eye, graph = Vector(spot.tolist()), bpy.context.evaluated_depsgraph_get()
    ring = np.concatenate([[[0, 0]], CORNERS * 0.22, CORNERS * 0.45])
    gone = []
    for i, place in enumerate(places):
        blocked = 0
        for point in _world(place + ring, THICKNESS + 0.01):
            ray = Vector(point) - eye
            hit, _, _, _, thing, _ = bpy.context.scene.ray_cast(
                graph, eye, ray.normalized(), distance=ray.length - 0.02
            )
            blocked += hit and thing.visible_camera and thing.name != "board"
        if blocked > 0.4 * len(ring):
            gone.append(i)
    return gone
