/** A mesh of triangles, as the server sends it. */
export interface Mesh {
  readonly name: string;
  /** x, y and z of each vertex, −1 to 1. */
  readonly position: Float32Array;
  /** Three vertices a triangle. */
  readonly index: Uint16Array;
}

/** Draws the triangles from the farthest to the nearest, each the brighter the more it faces the viewer. */
export function draw(canvas: HTMLCanvasElement, { position, index }: Mesh): void {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("The canvas has no context");
  const { width, height } = canvas;
  const scale = Math.min(width, height) * 0.48;
  context.clearRect(0, 0, width, height);

  const triangles = Array.from({ length: index.length / 3 }, (_, i) => {
    const corners = [0, 1, 2].map((j) => {
      const at = index[i * 3 + j] * 3;
      return turned(position[at], position[at + 1], position[at + 2]);
    });
    const [a, b, c] = corners;
    const across = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const along = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    const normal = [
      across[1] * along[2] - across[2] * along[1],
      across[2] * along[0] - across[0] * along[2],
      across[0] * along[1] - across[1] * along[0],
    ];
    return { corners, depth: a[2] + b[2] + c[2], light: normal[2] / Math.hypot(...normal) };
  });
  triangles.sort((a, b) => a.depth - b.depth);

  for (const { corners, light } of triangles) {
    if (light < 0) continue;
    context.fillStyle = `hsl(${210 + 40 * (1 - light)} 70% ${25 + 50 * light}%)`;
    context.beginPath();
    for (const [x, y] of corners) context.lineTo(width / 2 + x * scale, height / 2 - y * scale);
    context.fill();
  }
}

const TILT = 0.9;

function turned(x: number, y: number, z: number): [number, number, number] {
  return [x, y * Math.cos(TILT) - z * Math.sin(TILT), y * Math.sin(TILT) + z * Math.cos(TILT)];
}
