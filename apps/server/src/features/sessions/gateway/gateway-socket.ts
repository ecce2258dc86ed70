// The Unix socket that connects a gateway with the server on the same machine, and the default folder of recordings.
import { createHash } from "node:crypto";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "#kernel/config.ts";

type DataFolder = Pick<Config, "dataFolder">;

/** Recordings are stored here by default. */
export const recordingsFolder = ({ dataFolder }: DataFolder): string => join(dataFolder, "recordings");

/** The longest path of a Unix socket that every system accepts (`sun_path` of macOS has 104 bytes). */
const LONGEST = 100;

/**
 * The Unix socket of a gateway, through which the server forwards browsers. Outside the data folder if the path would be too
 * long. The gateway makes its folder private (0700).
 */
export function gatewaySocket({ dataFolder }: DataFolder, gatewayId: string): string {
  const usual = join(dataFolder, "gateways", `${gatewayId}.sock`);
  if (Buffer.byteLength(usual) <= LONGEST) return usual;
  const place = createHash("sha256").update(dataFolder).digest("hex").slice(0, 16);
  return join(tmpdir(), `strongroom-${place}`, `${gatewayId}.sock`);
}

const ANSWERS_WITHIN_MS = 1000;

/** Whether a process listens on the gateway's socket: one that was killed leaves its socket behind. */
export function isListening(config: DataFolder, gatewayId: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(gatewaySocket(config, gatewayId));
    const answer = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.setTimeout(ANSWERS_WITHIN_MS, () => answer(false));
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}
