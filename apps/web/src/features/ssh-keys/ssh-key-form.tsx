// The form of a new SSH key: the pasted line, what it contains, a name and a lifetime.
import { NumberInput, TextInput, Textarea } from "@mantine/core";
import { parseSshPublicKey, type SshPublicKey } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { isCallError } from "#shared/api/call-error.ts";
import { Facts } from "#shared/ui/facts.tsx";
import { Form } from "#shared/ui/form.tsx";
import type { FormInDialog } from "#shared/ui/form-dialog.tsx";

export interface SshKeyValues {
  public_key: string;
  name: string;
  expires_in_days: number | string;
}

export const emptySshKey = (mostDays: number): SshKeyValues => ({
  public_key: "",
  name: "",
  expires_in_days: Math.min(90, mostDays),
});

const NAMES: Record<SshPublicKey["type"], string> = {
  "ssh-ed25519": "Ed25519",
  "ecdsa-sha2-nistp256": "ECDSA P-256",
  "ecdsa-sha2-nistp384": "ECDSA P-384",
  "ecdsa-sha2-nistp521": "ECDSA P-521",
  "ssh-rsa": "RSA",
};

/** For example "RSA, 4096 bits"; the length of the other kinds is in their name. */
export const typeLabel = ({ type, bits }: Pick<SshPublicKey, "type" | "bits">): string =>
  type === "ssh-rsa" ? `${NAMES[type]}, ${bits} bits` : NAMES[type];

/** INVARIANT: a private key that is pasted by mistake fails here, so that it is never sent. */
function check({ public_key, name, expires_in_days }: SshKeyValues, mostDays: number) {
  const parsed = parseSshPublicKey(public_key);
  const days = Number(expires_in_days);
  const areDaysRight = Number.isInteger(days) && days >= 1 && days <= mostDays;
  return {
    ...("problem" in parsed
      ? { public_key: public_key.trim() === "" ? "Paste your public key." : parsed.problem }
      : {}),
    ...(name.trim() === "" ? { name: "Give the key a name." } : {}),
    ...(areDaysRight ? {} : { expires_in_days: `Enter a number of days from 1 to ${mostDays}.` }),
  };
}

function objectionsIn(error: unknown): Partial<Record<keyof SshKeyValues, string>> {
  if (!isCallError(error)) return {};
  const fields = ["public_key", "name", "expires_in_days"] as const;
  return Object.fromEntries(
    error.errors.flatMap(({ path, msg }) => {
      const field = fields.find((each) => each === path);
      return field === undefined ? [] : [[field, msg] as const];
    }),
  );
}

export function SshKeyForm({ mostDays, ...form }: FormInDialog<SshKeyValues> & { mostDays: number }) {
  return (
    <Form {...form} check={(values) => check(values, mostDays)} objectionsIn={objectionsIn}>
      {(fields) => {
        const parsed = parseSshPublicKey(fields.values.public_key);
        const input = fields.getInputProps("public_key");
        return (
          <>
            <Textarea
              label="Public key"
              description="The line in the file that ends in .pub, such as ~/.ssh/id_ed25519.pub"
              placeholder="ssh-ed25519 AAAA…"
              required
              rows={3}
              spellCheck={false}
              autoComplete="off"
              data-autofocus
              styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", wordBreak: "break-all" } }}
              {...input}
              onChange={(event) => {
                const text = event.currentTarget.value;
                input.onChange(event);
                const pasted = parseSshPublicKey(text);
                const isUnnamed = fields.values.name === "";
                if ("key" in pasted && isUnnamed && pasted.key.comment !== "") {
                  fields.setFieldValue("name", pasted.key.comment);
                }
              }}
            />
            {"key" in parsed && <KeyFacts parsed={parsed.key} />}
            <TextInput
              label="Name"
              description="Helps you recognise the key later"
              required
              maxLength={100}
              {...fields.getInputProps("name")}
            />
            <NumberInput
              label="Expires in"
              description={`Days, at most ${mostDays}`}
              required
              min={1}
              max={mostDays}
              suffix=" days"
              allowDecimal={false}
              {...fields.getInputProps("expires_in_days")}
            />
          </>
        );
      }}
    </Form>
  );
}

/** Computed in the browser, before anything is sent. */
function KeyFacts({ parsed }: { parsed: SshPublicKey }) {
  const { data: fingerprint } = useQuery({
    queryKey: ["ssh-key-fingerprint", parsed.base64],
    queryFn: () => fingerprintOf(parsed.base64),
    staleTime: Infinity,
  });
  return (
    <Facts
      facts={[
        { name: "Type", value: typeLabel(parsed) },
        { name: "Comment", value: parsed.comment === "" ? "None" : parsed.comment },
        ...(fingerprint == null ? [] : [{ name: "Fingerprint", value: <code>{fingerprint}</code> }]),
      ]}
    />
  );
}

/** As ssh-keygen prints it; null in a browser that offers no digests, because the page was not loaded over HTTPS. */
async function fingerprintOf(base64: string): Promise<string | null> {
  if ((crypto.subtle as SubtleCrypto | undefined) === undefined) return null;
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `SHA256:${btoa(String.fromCharCode(...digest)).replace(/=+$/, "")}`;
}
