// Changes the user's own password; ends every other session, and the API tokens that are not selected.
import { Checkbox, PasswordInput, Stack } from "@mantine/core";
import type { ApiToken } from "@strongroom/contract";
import { z } from "zod";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { firstObjections } from "#shared/api/field-errors.ts";
import { useUser } from "#shared/session/session-store.ts";
import { Form } from "#shared/ui/form.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import { chosenPassword, requireMatch } from "./choose-password.ts";
import { NewPasswordFields } from "./new-password-fields.tsx";
import { useChangePassword, useCountOfSshKeys, useOwnActiveTokens } from "../sessions/own-sessions.queries.ts";

const PasswordForm = z
  .object({
    current: z.string().min(1, "Please enter your current password."),
    ...chosenPassword,
    kept: z.array(z.string()),
    keepsKeys: z.boolean(),
  })
  .superRefine(requireMatch);

type Values = z.infer<typeof PasswordForm>;

const EMPTY: Values = { current: "", password: "", confirmation: "", kept: [], keepsKeys: false };

/** Maps fields of the call to form fields, for server errors. */
const FIELDS: Record<string, keyof Values> = {
  current_password: "current",
  new_password: "password",
  keep_tokens: "kept",
};

function objectionsIn(error: unknown): Partial<Record<keyof Values, string>> {
  const refused = isCallError(error) ? error.errors : [];
  return Object.fromEntries(
    refused.flatMap(({ path, msg }) => (Object.hasOwn(FIELDS, path) ? [[FIELDS[path], msg]] : [])),
  );
}

const failureText = (error: unknown): string | null =>
  Object.keys(objectionsIn(error)).length > 0 ? null : messageOf(error, "Failed to change the password");

export function ChangePasswordCard() {
  const { mutateAsync: change } = useChangePassword();
  const tokens = useOwnActiveTokens();
  const countOfKeys = useCountOfSshKeys();
  const user = useUser();
  return (
    <SectionCard
      title="Change Password"
      description="Changing your password ends your other sessions, and the API tokens and SSH keys that you do not keep."
    >
      <Form<Values>
        label="Change password"
        initial={EMPTY}
        check={(values) => firstObjections(PasswordForm, values)}
        objectionsIn={objectionsIn}
        failureText={failureText}
        submitLabel="Change Password"
        onSubmit={async ({ current, password, kept, keepsKeys }, _, form) => {
          await change({
            current_password: current,
            new_password: password,
            keep_tokens: kept,
            keep_ssh_keys: keepsKeys,
          });
          form.reset();
          toast.success("Password changed. Your other sessions have ended.");
        }}
        maxWidth="24rem"
      >
        {(form) => (
          <>
            <PasswordInput
              label="Current password"
              autoComplete="current-password"
              {...form.getInputProps("current")}
            />
            <NewPasswordFields form={form} known={[user.email, user.name]} />
            {countOfKeys > 0 && (
              <Checkbox
                label={countOfKeys === 1 ? "Keep my SSH key" : `Keep my ${countOfKeys} SSH keys`}
                description="Otherwise they are removed. Keep them only if you recognise all of them."
                {...form.getInputProps("keepsKeys", { type: "checkbox" })}
              />
            )}
            {tokens.length > 0 && <KeptTokens tokens={tokens} {...form.getInputProps("kept")} />}
          </>
        )}
      </Form>
    </SectionCard>
  );
}

interface KeptTokensProps {
  tokens: readonly ApiToken[];
  value?: string[];
  onChange: (kept: string[]) => void;
  error?: string;
}

/** None is selected at first: a token that an intruder created may be the most recently used one. */
function KeptTokens({ tokens, ...field }: KeptTokensProps) {
  return (
    <Checkbox.Group
      {...field}
      label="API tokens to keep"
      description="Tokens that you do not select stop working. Keep only tokens that you recognise."
    >
      <Stack gap="xs" mt="xs">
        {tokens.map(({ id, name, last_used_at: lastUsed }) => (
          <Checkbox
            key={id}
            value={id}
            label={name}
            description={
              lastUsed === null ? (
                "Never used"
              ) : (
                <>
                  Last used <RelativeTime moment={lastUsed} />
                </>
              )
            }
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
