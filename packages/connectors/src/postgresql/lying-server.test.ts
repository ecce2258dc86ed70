// Searches a fake PostgreSQL that lies about its tables: the search ends, within its limits of memory, and closes no finding.
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { aTarget } from "../../testing/index.ts";
import { searchDatabases } from "../../testing/search-databases.ts";
import { startTcp } from "../../testing/targets/hostile.ts";
import { postgresql } from "./postgresql.ts";

const TEXT = 25;
const TEXT_LIST = 1009;
const BOOL = 16;
const INT8 = 20;

interface Answer {
  columns: [name: string, type: number][];
  rows: Iterable<(string | null)[]>;
}

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const int16 = (value: number): Buffer => int32(value).subarray(2);
const message = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
};
const READY = message("Z", Buffer.from("I"));

function describe({ columns }: Answer): Buffer {
  const fields = columns.map(([name, type]) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)]),
  );
  return message("T", int16(columns.length), ...fields);
}

function* rowsOf({ rows }: Answer): Generator<Buffer> {
  for (const row of rows) {
    const values = row.map((value) => {
      if (value === null) return int32(-1);
      const bytes = Buffer.from(value);
      return Buffer.concat([int32(bytes.length), bytes]);
    });
    yield message("D", int16(row.length), ...values);
  }
}

/** Speaks the protocol up to a login with md5, then answers each statement with what `answerTo` says. */
function aServer(answerTo: (sql: string) => Answer | null) {
  return startTcp((socket: Socket) => {
    let received = Buffer.alloc(0);
    let isStarted = false;
    let answer: Answer | null = null;
    const complete = (of: Answer | null, isDescribed: boolean): void => {
      if (of !== null && isDescribed) socket.write(describe(of));
      if (of !== null) socket.write(Buffer.concat([...rowsOf(of)]));
      socket.write(message("C", Buffer.from("SELECT 1\0")));
    };
    socket.on("data", (data: Buffer) => {
      received = Buffer.concat([received, data]);
      for (;;) {
        const begin = isStarted ? 1 : 0;
        if (received.length < begin + 4) return;
        const end = begin + received.readInt32BE(begin);
        if (received.length < end) return;
        const type = isStarted ? received.toString("latin1", 0, 1) : "";
        const body = received.subarray(begin + 4, end);
        received = received.subarray(end);
        if (!isStarted) {
          if (body.readInt32BE(0) === 80877103) socket.write("N");
          else {
            isStarted = true;
            socket.write(message("R", int32(5), Buffer.from("salt")));
          }
        } else if (type === "p") socket.write(Buffer.concat([message("R", int32(0)), READY]));
        else if (type === "Q") {
          complete(answerTo(body.toString("utf8", 0, body.length - 1)), true);
          socket.write(READY);
        } else if (type === "P") {
          answer = answerTo(body.toString("utf8").split("\0")[1]!);
          socket.write(message("1"));
        } else if (type === "B") socket.write(message("2"));
        else if (type === "D") socket.write(answer === null ? message("n") : describe(answer));
        else if (type === "E") complete(answer, false);
        else if (type === "S") socket.write(READY);
      }
    });
    socket.on("error", () => {});
  });
}

const DATABASES: Answer = {
  columns: [
    ["name", TEXT],
    ["is_current", BOOL],
    ["is_superuser", BOOL],
  ],
  rows: [["shop", "t", "f"]],
};
const tables = (rows: (string | null)[][]): Answer => ({
  columns: [
    ["schema", TEXT],
    ["name", TEXT],
    ["owner", TEXT],
    ["is_public", BOOL],
    ["columns", TEXT_LIST],
  ],
  rows,
});
const NOTHING: Answer = { columns: [], rows: [] };

const definitions = (count: number, row: () => string[]): Answer => ({
  columns: [["id", INT8], ...["schema", "name", "args", "owner", "text"].map((name): [string, number] => [name, TEXT])],
  rows: Array.from({ length: count }, row),
});

async function searched(t: TestContext, answerTo: (sql: string) => Answer | null, known: string[] = []) {
  const server = await aServer((sql) => {
    if (/pg_database d/.test(sql)) return DATABASES;
    return /^\s*(?:begin|rollback|declare|set)\b/.test(sql) ? null : (answerTo(sql) ?? NOTHING);
  });
  t.after(() => server.stop());
  const { host, port } = server;
  const target = aTarget({ type: "postgresql", host, port, username: "app", databaseName: "shop" });
  return searchDatabases(postgresql, { target, password: "secret" }, { known });
}

test("a table with millions of columns is read up to the limit of columns", async (t) => {
  const names = `{${Array.from({ length: 1_000_000 }, (_, number) => `c${number}`).join(",")}}`;
  const known = ["column:shop.public.wide.gone"];
  const answerTo = (sql: string): Answer | null => {
    if (/array_agg\(name/.test(sql)) return tables([["public", "wide", "app", "f", names]]);
    if (!sql.startsWith("fetch")) return null;
    return { columns: [["left", TEXT]], rows: Array.from({ length: 25 }, () => [null]) };
  };
  const { result, tables: read } = await searched(t, answerTo, known);
  assert.deepEqual(
    read.map(({ columns }) => columns.length),
    [100],
  );
  assert.deepEqual(result.gone, [], "columns that were left out may exist");
});

test("an endless list of functions ends", async (t) => {
  let number = 0;
  const answerTo = (sql: string): Answer | null => {
    if (!/from pg_proc p/.test(sql)) return null;
    return definitions(10_000, () => [String((number += 1)), "public", `f${number}`, "", "app", ""]);
  };
  const { result } = await searched(t, answerTo, ["definition:shop.public.gone()"]);
  assert.deepEqual([number, result.limit, result.gone], [200_000, "files", []]);
});

test("a list of functions that goes round in a circle ends", async (t) => {
  let number = 0;
  const answerTo = (sql: string): Answer | null => {
    if (!/from pg_proc p/.test(sql)) return null;
    return definitions(50, () => ["7", "public", `f${(number += 1)}`, "", "app", ""]);
  };
  const { result } = await searched(t, answerTo, ["definition:shop.public.gone()"]);
  assert.deepEqual([number, result.limit, result.gone], [100, null, []]);
});
