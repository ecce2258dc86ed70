// A QR code as an SVG: always dark on light, because many cameras cannot read an inverted code.
import { Skeleton } from "@mantine/core";
import { useEffect, useState } from "react";
import classes from "./factors.module.css";

const QUIET = 4;

/** An SVG path with one unit per module. */
async function squaresOf(text: string): Promise<{ size: number; path: string }> {
  const { generate } = await import("lean-qr");
  const code = generate(text);
  let path = "";
  for (let y = 0; y < code.size; y += 1)
    for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) path += `M${x + QUIET} ${y + QUIET}h1v1h-1z`;
  return { size: code.size + 2 * QUIET, path };
}

export function QrCode({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<{ size: number; path: string } | null>(null);
  useEffect(() => {
    let isWanted = true;
    void squaresOf(text).then((squares) => isWanted && setDrawn(squares));
    return () => {
      isWanted = false;
    };
  }, [text]);
  if (drawn === null) return <Skeleton className={classes.qr} />;
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${drawn.size} ${drawn.size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={drawn.size} height={drawn.size} fill="#fff" />
      <path d={drawn.path} fill="#000" />
    </svg>
  );
}
