"""Light on the table, and what a phone makes of it."""

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.drawer.prints import Image, Random
from tests.drawer.tables import clouds

Linear = NDArray[np.float32]

TO_LINEAR = (np.arange(256) / 255.0).astype(np.float32) ** 2.2


def kelvin(temperature: float) -> NDArray[np.float32]:
    """Return the BGR tint of a black body, green at one (a smooth fit that is good enough for 2000 to 9000 K)."""
    t = temperature / 6500
    return np.array([np.clip(t**1.35, 0.12, 1.5), 1.0, np.clip(t**-0.75, 0.75, 2.6)], np.float32)


def shine(
    random: Random, albedo: Linear, gloss: NDArray[np.float32], harsh: float, warmth: float | None = None
) -> Linear:
    """Light a picture of albedo: lamps, shadows, glare and a veil; `gloss` says how shiny each pixel is (0..1).

    `warmth` in kelvin makes all lamps of one kind; otherwise each has its own.
    """

    def lamp(low: float, high: float) -> NDArray[np.float32]:
        own = random.uniform(low, high)
        return kelvin(own if warmth is None else warmth)

    height, width = albedo.shape[:2]
    h, w = height // 8 + 1, width // 8 + 1
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    x, y = x / w, y / h
    light = np.ones((h, w, 3), np.float32) * lamp(3000, 7500) * random.uniform(0.3, 0.9)
    for _ in range(int(random.integers(1, 3))):
        cx, cy = random.uniform(-0.4, 1.4, 2)
        spread = random.uniform(0.25, 1.6)
        fall = 1 / (1 + ((x - cx) ** 2 + (y - cy) ** 2) / spread**2) ** 1.5
        light += fall[..., None] * lamp(2200, 6800) * random.uniform(0.2, 1.2) * (0.5 + harsh)
    if random.random() < 0.25 + 0.5 * harsh:
        light *= _shadow(random, x, y, harsh)[..., None]
    light = cv2.resize(light, (width, height), interpolation=cv2.INTER_LINEAR)
    lit = albedo * light
    veil = np.zeros((h, w), np.float32)
    for _ in range(int(random.integers(0, 3))):
        cx, cy = random.uniform(-0.2, 1.2, 2)
        long, short = random.uniform(0.05, 0.5), random.uniform(0.03, 0.2)
        turn = random.uniform(0, np.pi)
        a = (x - cx) * np.cos(turn) + (y - cy) * np.sin(turn)
        b = -(x - cx) * np.sin(turn) + (y - cy) * np.cos(turn)
        veil += np.exp(-((a / long) ** 2) - (b / short) ** 2) * random.uniform(0.05, 0.9) * (0.25 + harsh)
    if random.random() < 0.4:
        slope = random.uniform(-1, 1, 2)
        veil += (
            np.clip(slope[0] * (x - 0.5) + slope[1] * (y - 0.5) + 0.2, 0, 1) * random.uniform(0, 0.3) * (0.3 + harsh)
        )
    sheen = cv2.resize(veil, (width, height), interpolation=cv2.INTER_LINEAR) * gloss
    return np.asarray(lit + sheen[..., None] * lamp(3500, 8000), np.float32)


def _shadow(random: Random, x: NDArray[np.float32], y: NDArray[np.float32], harsh: float) -> NDArray[np.float32]:
    """Return a factor per pixel for one cast shadow, soft or hard edged."""
    turn, offset = random.uniform(0, 2 * np.pi), random.uniform(-0.3, 0.3)
    side = (x - 0.5) * np.cos(turn) + (y - 0.5) * np.sin(turn) - offset
    if random.random() < 0.6:
        side = np.abs(side) - random.uniform(0.05, 0.3)
    side = side + 0.1 * (clouds(random, *x.shape, octaves=2) - 0.5)
    return np.asarray(
        1 - random.uniform(0.2, 0.5 + 0.3 * harsh) / (1 + np.exp(side / random.uniform(0.004, 0.08))), np.float32
    )


def develop(random: Random, scene: Linear, harsh: float, blur: float = 0.0) -> Image:
    """Expose, balance, blur, add noise, sharpen and compress, as a phone does."""
    height, width = scene.shape[:2]
    grey = np.array([np.mean(scene[::8, ::8, c]) for c in range(3)])
    balance = (grey.mean() / grey) ** random.uniform(0.3, 1.0) * random.uniform(0.94, 1.06, 3)
    peak = float(np.percentile(scene[::8, ::8].max(2), random.uniform(88, 99)))
    exposure = 2.0 ** random.normal(-0.1, 0.25 + 0.35 * harsh) / max(peak, 1e-3)
    image = scene * (balance * exposure).astype(np.float32)
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    image *= (1 - random.uniform(0, 0.3) * (x * x + y * y) / 2)[..., None]
    sigma = abs(random.normal(0, 0.5 + 0.4 * harsh)) + blur * 0.3
    if sigma > 0.3:
        image = cv2.GaussianBlur(image, (0, 0), sigma)
    if blur or random.random() < 0.2 * harsh:
        image = cv2.filter2D(image, -1, _smear(random, blur or random.uniform(1.5, 3.5)))
    noise = random.uniform(0.002, 0.012 + 0.02 * harsh)
    grain = random.standard_normal((height // 2, width // 2, 3), np.float32) * noise
    image = image + cv2.resize(grain, (width, height), interpolation=cv2.INTER_LINEAR) * (
        0.3 + np.sqrt(np.clip(image, 0, 1))
    )
    image = np.clip(image, 0, 1) ** (1 / 2.2)
    image = image + random.uniform(-0.08, 0.3) * (image - 0.5) * (1 - np.abs(2 * image - 1))
    luma = image @ np.array([0.11, 0.59, 0.3], np.float32)
    image = luma[..., None] + (image - luma[..., None]) * np.float32(random.uniform(0.8, 1.35))
    if (strength := random.uniform(-0.3, 0.9)) > 0:
        image = image + np.float32(strength) * (image - cv2.GaussianBlur(image, (0, 0), 1.2))
    out = (np.clip(image, 0, 1) * 255).astype(np.uint8)
    quality = int(random.integers(62, 96))
    _, jpeg = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)


def _smear(random: Random, length: float) -> NDArray[np.float32]:
    """Return the kernel of a camera that moved by `length` pixels."""
    size = int(length) * 2 + 3
    kernel = np.zeros((size, size), np.float32)
    angle = random.uniform(0, np.pi)
    for t in np.linspace(-length / 2, length / 2, 24):
        kernel[round(size // 2 + t * np.sin(angle)), round(size // 2 + t * np.cos(angle))] += 1
    return kernel / kernel.sum()
