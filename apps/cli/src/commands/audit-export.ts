// `audit export`: writes the whole trail with its checkpoints, for `audit verify`.
import { openTrail } from "@strongroom/server/features/audit/index.ts";
import { open } from "node:fs/promises";
import { once } from "node:events";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { count, note } from "../output.ts";
import { record } from "../record.ts";
import { withKeys } from "../root-key.ts";
import { withContext } from "../command-context.ts";

export const auditExport = command({
  options: {},
  operands: [0, 1],
  async run(_values, file) {
    await withContext(async (context) => {
      await withKeys(context, async (keys) => {
        const trail = openTrail({ ...context, keys });
        const { size, pending } = await trail.checkpoint();
        const pieces = await trail.exportTrail();
        const target = file === undefined ? standardOutput : await newFile(file);
        try {
          await record(context.database, "audit.exported", { details: { entries: size } });
          for await (const piece of pieces) await target.write(piece);
        } finally {
          await target.end();
        }
        // The export's own audit entry is among the pending entries.
        note(
          `Exported ${count(size, "entry", "entries")}. It does not include ${count(pending + 1, "entry", "entries")} recorded since the newest checkpoint.`,
        );
      });
    });
  },
});

interface Target {
  write(piece: string): Promise<void>;
  end(): Promise<void>;
}

const standardOutput: Target = {
  async write(piece) {
    if (!process.stdout.writable) throw new CommandError("The program that reads the export closed the pipe.");
    if (!process.stdout.write(piece)) await once(process.stdout, "drain").catch(() => undefined);
  },
  end: async () => {},
};

async function newFile(path: string): Promise<Target> {
  const file = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "EEXIST" ? "it already exists" : error.code;
    throw new CommandError(`The file ${path} cannot be created (${why}).`, { cause: error });
  });
  return {
    write: (piece) => file.appendFile(piece),
    async end() {
      await file.sync();
      await file.close();
    },
  };
}
