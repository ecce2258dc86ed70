// Where a gateway and the server beside it meet on this machine.
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "#kernel/config.ts";

type Place = Pick<Config, "dataFolder">;

/** Recordings are stored here by default. */
export const recordingsFolder = ({ dataFolder }: Place): string => join(dataFolder, "recordings");

/** The longest path of a Unix socket that every system accepts (`sun_path` of macOS has 104 bytes). */
const LONGEST = 100;

/**
 * The Unix socket of a gateway, on which the server passes browsers on. Outside the data folder if the path would be too
 * long. The gateway makes its folder private (0700).
 */
export function gatewaySocket({ dataFolder }: Place, gatewayId: string): string {
  const usual = join(dataFolder, "gateways", `${gatewayId}.sock`);
  if (Buffer.byteLength(usual) <= LONGEST) return usual;
  const place = createHash("sha256").update(dataFolder).digest("hex").slice(0, 16);
  return join(tmpdir(), `strongroom-${place}`, `${gatewayId}.sock`);
}
