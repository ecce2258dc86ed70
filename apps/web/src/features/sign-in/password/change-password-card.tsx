// Changes the user's own password; ends every other session, and the API tokens that are not selected.
import { Button, Checkbox, Group, PasswordInput, Stack } from "@mantine/core";
import type { ApiToken } from "@strongroom/contract";
import { useForm } from "@mantine/form";
import { zod4Resolver } from "mantine-form-zod-resolver";
import { z } from "zod";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { useUser } from "#shared/session/session-store.ts";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { PasswordStrength } from "#shared/ui/password-strength.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import { chosenPassword, requireMatch } from "./choose-password.ts";
import { useChangePassword, useOwnActiveTokens } from "../sign-in.queries.ts";

const PasswordForm = z
  .object({
    current: z.string().min(1, "Please enter your current password."),
    ...chosenPassword,
    kept: z.array(z.string()),
  })
  .superRefine(requireMatch);

/** Maps fields of the call to form fields, for server errors. */
const FIELDS: Record<string, string> = { current_password: "current", new_password: "password", keep_tokens: "kept" };

export function ChangePasswordCard() {
  const change = useChangePassword();
  const tokens = useOwnActiveTokens();
  const user = useUser();
  const form = useForm({
    initialValues: { current: "", password: "", confirmation: "", kept: [] as string[] },
    validate: zod4Resolver(PasswordForm),
  });

  const submit = form.onSubmit(({ current, password, kept }) =>
    change.mutate(
      { current_password: current, new_password: password, keep_tokens: kept },
      {
        onSuccess: () => {
          form.reset();
          toast.success("Password changed. Your other sessions have ended.");
        },
        onError: (error, isHere) => {
          const refused = isCallError(error) ? error.errors.filter(({ path }) => Object.hasOwn(FIELDS, path)) : [];
          for (const { path, msg } of refused) form.setFieldError(FIELDS[path] ?? "", msg);
          if (refused.length === 0 || !isHere) toast.error(messageOf(error, "Failed to change the password"));
        },
      },
    ),
  );

  return (
    <SectionCard
      title="Change password"
      description="Changing your password ends your other sessions and the API tokens that you do not keep."
    >
      <FormStack label="Change password" onSubmit={submit} maxWidth="24rem">
        <PasswordInput label="Current password" autoComplete="current-password" {...form.getInputProps("current")} />
        <PasswordInput
          label="New password"
          description="At least 8 characters, 12 for managers and admins"
          autoComplete="new-password"
          {...form.getInputProps("password")}
        />
        <PasswordStrength password={form.values.password} known={[user.email, user.name]} />
        <PasswordInput label="Confirm password" autoComplete="new-password" {...form.getInputProps("confirmation")} />
        {tokens.length > 0 && <KeptTokens tokens={tokens} {...form.getInputProps("kept")} />}
        <Group>
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </Group>
      </FormStack>
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
