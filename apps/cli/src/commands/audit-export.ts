// `audit export`: the whole trail with its checkpoints, for `audit verify`.
import { openTrail } from "@strongroom/server/features/audit/index.ts";
import { open } from "node:fs/promises";
import { once } from "node:events";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { count, note } from "../output.ts";
import { record } from "../record.ts";
import { withKeys } from "../root-key.ts";
import { atWork } from "../workplace.ts";

export const auditExport = command({
  options: {},
  operands: [0, 1],
  async run(_values, file) {
    await atWork(async (workplace) => {
      await withKeys(workplace, async (keys) => {
        const trail = openTrail({ ...workplace, keys });
        const { size, pending } = await trail.checkpoint();
        const pieces = await trail.exportTrail();
        const target = file === undefined ? standardOutput : await newFile(file);
        try {
          await record(workplace.database, "audit.exported", { details: { entries: size } });
          for await (const piece of pieces) await target.write(piece);
        } finally {
          await target.end();
        }
        // Its own record is one of those that wait.
        note(
          `Exported ${count(size, "entry", "entries")}; ${pending + 1} recorded since the newest checkpoint are not in it.`,
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
    if (!process.stdout.writable) throw new CommandError("Nobody reads the export any more.");
    if (!process.stdout.write(piece)) await once(process.stdout, "drain").catch(() => undefined);
  },
  end: async () => {},
};

async function newFile(path: string): Promise<Target> {
  const file = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "EEXIST" ? "there is one already" : error.code;
    throw new CommandError(`The file ${path} cannot be made (${why}).`, { cause: error });
  });
  return {
    write: (piece) => file.appendFile(piece),
    async end() {
      await file.sync();
      await file.close();
    },
  };
}
