// `unseal`: sends the passphrase, typed at the terminal or read from standard input, to a running server.
import { readSeal, unseal } from "@strongroom/contract";
import { askSecret } from "../ask-secret.ts";
import { command } from "../command.ts";
import { print } from "../output.ts";
import { DEFAULT_URL, callServer, requirePrivate, serverUrl } from "../server.ts";

export const unsealCommand = command({
  options: { url: { type: "string", default: DEFAULT_URL } },
  operands: [0, 0],
  async run({ url: given }) {
    const url = serverUrl(given);
    requirePrivate(url);
    const { is_sealed: isSealed } = await callServer(url, readSeal);
    if (!isSealed) return print("The vault is not sealed.");
    const passphrase = await askSecret("Passphrase");
    const { message } = await callServer(url, unseal, { body: { passphrase } });
    print(message);
  },
});
