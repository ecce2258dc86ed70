// The secret field of the form: masked until revealed, single-line or multi-line, with a password generator.
import { ActionIcon, Button, Group, Input, PasswordInput, Textarea, Tooltip } from "@mantine/core";
import { IconEye, IconEyeOff, IconWand } from "@tabler/icons-react";
import { useId, useState } from "react";
import type { CredentialType } from "@strongroom/contract";
import { weakSecretNote } from "#shared/format/password-strength.ts";
import { isMultiLine } from "./credential-form-values.ts";
import { generateSecret } from "./generate-secret.ts";
import classes from "./secret-field.module.css";

export interface SecretFieldProps {
  type: CredentialType;
  value: string;
  error?: React.ReactNode;
  isRequired: boolean;
  /** Below the field when there is no error. */
  hint?: string;
  onChange: (value: string) => void;
}

const LABEL = "Password/Secret";

const PLACEHOLDERS: Partial<Record<CredentialType, string>> = {
  ssh: "-----BEGIN OPENSSH PRIVATE KEY-----",
  certificate: "-----BEGIN CERTIFICATE-----",
};

const HINTS: Partial<Record<CredentialType, string>> = {
  ssh: 'A private key in PEM or OpenSSH form. With a passphrase: {"private_key": "…", "passphrase": "…"}',
  certificate: "The certificate in PEM form, with its chain and private key if they belong together",
};

export function SecretField({ type, value, error, isRequired, hint, onChange }: SecretFieldProps) {
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  const warning = isMultiLine(type) ? undefined : weakSecretNote(value);
  const toggleName = isShown ? "Hide password" : "Show password";
  const toggle = (
    <Tooltip label={toggleName}>
      <ActionIcon aria-label={toggleName} aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
        {isShown ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
  const field = {
    id,
    value,
    error: error !== undefined && error !== null,
    required: isRequired,
    autoComplete: "off",
    spellCheck: false,
    "aria-describedby": `${id}-note`,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(event.currentTarget.value),
  };

  return (
    <Input.Wrapper
      id={id}
      label={LABEL}
      required={isRequired}
      error={error}
      errorProps={{ id: `${id}-note`, mt: 5 }}
      description={error === undefined ? (warning ?? hint ?? HINTS[type]) : undefined}
      descriptionProps={{ id: `${id}-note`, mt: 5 }}
      inputWrapperOrder={["label", "input", "description", "error"]}
    >
      {isMultiLine(type) ? (
        <div className={classes.lines}>
          <Textarea
            {...field}
            className={classes.text}
            classNames={{ input: isShown ? classes.shown : classes.masked }}
            rows={5}
            placeholder={PLACEHOLDERS[type]}
          />
          <span className={classes.toggle}>{toggle}</span>
        </div>
      ) : (
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <PasswordInput
            {...field}
            className={classes.text}
            // Prevents the browser from saving or filling in this password.
            autoComplete="new-password"
            visible={isShown}
            onVisibilityChange={setIsShown}
            visibilityToggleButtonProps={{ "aria-label": toggleName, tabIndex: 0 }}
          />
          <Button
            variant="default"
            leftSection={<IconWand size={15} aria-hidden />}
            onClick={() => {
              onChange(generateSecret());
              setIsShown(true);
            }}
          >
            Generate
          </Button>
        </Group>
      )}
    </Input.Wrapper>
  );
}
