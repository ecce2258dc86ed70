import { expect, test } from "vitest";
import { CAST_TEXT } from "../testing/a-session.ts";
import { Player, parseCast, scheduleOf } from "./player.ts";

const cast = parseCast(new TextEncoder().encode(CAST_TEXT));

/** Records the calls that a terminal receives. */
function aScreen() {
  const told: string[] = [];
  return {
    told,
    write: (text: string) => {
      told.push(text.trim());
      return Promise.resolve();
    },
    resize: ({ cols, rows }: { cols: number; rows: number }) => void told.push(`${cols}x${rows}`),
    clear: ({ cols, rows }: { cols: number; rows: number }) => void told.push(`clear ${cols}x${rows}`),
  };
}

test("the schedule keeps pauses, or cuts them to a second", () => {
  expect(scheduleOf(cast.events, false)).toEqual([500, 60_500, 60_750, 61_000]);
  expect(scheduleOf(cast.events, true)).toEqual([500, 1500, 1750, 2000]);
});

test("the player shows output and sizes when they are due", async () => {
  const screen = aScreen();
  const player = new Player(cast, screen, true);
  await player.advance(499);
  expect(screen.told).toEqual(["clear 80x24"]);
  await player.advance(1);
  expect(screen.told.slice(1)).toEqual(["first"]);
  await player.advance(5000);
  expect(screen.told.slice(2)).toEqual(["second", "100x30", "third"]);
  expect(player.isOver).toBe(true);
  expect(player.position).toBe(2000);
});

test("seeking back replays from an empty screen", async () => {
  const screen = aScreen();
  const player = new Player(cast, screen, true);
  await player.seek(2000);
  screen.told.length = 0;
  await player.seek(1600);
  expect(screen.told).toEqual(["clear 80x24", "first\r\nsecond"]);
});

test("a later seek cancels an earlier one that is still writing", async () => {
  const screen = aScreen();
  const player = new Player(cast, screen, true);
  await Promise.all([player.seek(2000), player.seek(600)]);
  expect(player.position).toBe(600);
  expect(screen.told.at(-1)).not.toBe("third");
  await player.advance(10_000);
  expect(screen.told.at(-1)).toBe("third");
});

test("changing whether idle time is skipped keeps the position in the recording", async () => {
  const player = new Player(cast, aScreen(), true);
  await player.seek(1000);
  player.setSkipsIdle(false);
  expect(player.position).toBe(1000);
  await player.seek(40_000);
  player.setSkipsIdle(true);
  expect(player.position).toBe(1500);
});

test("a damaged recording is refused with the line", () => {
  expect(() => parseCast(new TextEncoder().encode('{"version":2}\n'))).toThrow("Line 1");
  expect(() => parseCast(new TextEncoder().encode(`${CAST_TEXT}nonsense\n`))).toThrow("Line 6 is not JSON");
});
