// Encrypts a connection and verifies the server, before anything else is sent on it.
import { isIP } from "node:net";
import { checkServerIdentity, connect, type TLSSocket } from "node:tls";
import { containExceptions, type BoundedStream } from "./bounded-stream.ts";
import type { Failure } from "./connector.ts";
import { connectionFailure, type Endpoint } from "./dial.ts";
import { tlsFailure } from "./tls-failure.ts";
import type { TlsSettings } from "./tls-settings.ts";

export type Secured = { stream: TLSSocket } | { failure: Failure };

/**
 * Resolves when the handshake is done and the certificate meets `settings.mode`. The certificate is checked for the
 * name in the settings or the endpoint's host, whatever address the connection goes to.
 */
export function startTls(
  stream: BoundedStream,
  settings: TlsSettings,
  endpoint: Endpoint,
  protocols?: string[],
): Promise<Secured> {
  const name = settings.name ?? endpoint.host.replace(/^\[(.*)\]$/, "$1");
  return new Promise((resolve) => {
    const socket = connect({
      socket: stream,
      host: name,
      ...(isIP(name) === 0 ? { servername: name } : {}),
      ...(settings.ca === null ? {} : { ca: settings.ca }),
      ...(settings.client ? { cert: settings.client.certificate, key: settings.client.privateKey } : {}),
      ...(protocols === undefined ? {} : { ALPNProtocols: protocols }),
      rejectUnauthorized: settings.mode !== "require",
      checkServerIdentity: (_, certificate) =>
        settings.mode === "verify-full" ? checkServerIdentity(name, certificate) : undefined,
    });
    containExceptions(socket);
    socket.on("error", (error) =>
      resolve({ failure: tlsFailure(error, endpoint) ?? connectionFailure(error, endpoint) }),
    );
    socket.once("close", () => resolve({ failure: connectionFailure(null, endpoint) }));
    socket.once("secureConnect", () => resolve({ stream: socket }));
  });
}
