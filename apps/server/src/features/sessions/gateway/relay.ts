// The connection of a server to a gateway: a unix socket on the same machine, else TLS with a key that only processes of
// this installation can derive.
import { hkdfSync } from "node:crypto";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { TlsOptions } from "node:tls";
import { refuse } from "#kernel/http/refuse.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { gatewayHostKey } from "../native/host-key.ts";
import { gatewaySocket } from "./gateway-socket.ts";
import { addressOf, readGateways } from "./gateways.store.ts";
import type { GatewayRow } from "./gateways.store.ts";

const CONNECT_WITHIN_MS = 5000;
const ANSWERS_WITHIN_MS = 1000;

/**
 * A pre-shared key proves both ends to each other, and the exchange is new for each connection (RFC 7905). Node offers
 * pre-shared keys in TLS 1.2 only.
 */
export const RELAY_TLS = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  ecdhCurve: "X25519",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
} as const satisfies TlsOptions;

/**
 * INVARIANT: the key of a gateway's relay follows from the sealed host key, so the owner of the database cannot derive it.
 * Rejects with SealedError while the vault is sealed.
 */
export async function relayKey(kernel: ProcessKernel, gatewayId: string): Promise<Buffer> {
  const { privateKey } = await gatewayHostKey(kernel);
  const der = privateKey.export({ format: "der", type: "pkcs8" });
  const key = hkdfSync("sha256", der, Buffer.alloc(0), `strongroom/gateway-relay/v1\n${gatewayId}`, 32);
  der.fill(0);
  return Buffer.from(key);
}

const notReached = () =>
  refuse(503, "privileged-session.gateway-lost", "The gateway of this session does not answer. Try again.", {
    retryAfter: 5,
  });

/** A connection on which the gateway expects the upgrade of a WebSocket. Throws a refusal when it does not answer. */
export async function connectToGateway(kernel: ProcessKernel, gatewayId: string): Promise<Duplex> {
  const beside = await opened(connect(gatewaySocket(kernel.config, gatewayId))).catch(() => null);
  if (beside !== null) return beside;
  const gateway = (await readGateways(kernel.database.db)).find(({ id }) => id === gatewayId);
  const address = gateway?.relay_address ?? null;
  if (address === null) throw notReached();
  const psk = await relayKey(kernel, gatewayId);
  const socket = connectTls({
    ...addressOf(address),
    ...RELAY_TLS,
    pskCallback: () => ({ psk, identity: gatewayId }),
    // There is no certificate: the key proves the gateway.
    checkServerIdentity: () => undefined,
  });
  socket.setNoDelay();
  return opened(socket, "secureConnect");
}

type Connection = ReturnType<typeof connect>;

function opened(socket: Connection, event: "connect" | "secureConnect" = "connect"): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    socket.setTimeout(CONNECT_WITHIN_MS, () => socket.destroy(new Error("the gateway did not answer")));
    socket.once("error", () => reject(notReached()));
    socket.once(event, () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

/** Whether a server on another machine can connect to the gateway's relay now. */
export function isRelayListening({ relay_address: address }: Pick<GatewayRow, "relay_address">): Promise<boolean> {
  if (address === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect(addressOf(address));
    const answer = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.setTimeout(ANSWERS_WITHIN_MS, () => answer(false));
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}
