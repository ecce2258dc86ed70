// The choice of who can sign up, for the setup page and the sign-in policy.
import { Stack, TextInput } from "@mantine/core";
import type { SignUpRule } from "@strongroom/contract";
import type { ReactNode } from "react";
import { RadioChoices } from "#shared/ui/radio-choices.tsx";

/** A type, because an interface lacks the index signature that forms need. */
export type SignUpChoice = {
  sign_up: SignUpRule["sign_up"];
  /** As typed: domains separated by commas or spaces. */
  sign_up_domains: string;
};

const CHOICES: readonly { value: SignUpRule["sign_up"]; label: string; description: string }[] = [
  {
    value: "closed",
    label: "Invitation only",
    description: "Administrators invite users, and invited users are active immediately.",
  },
  {
    value: "domains",
    label: "These email domains, after activation",
    description: "Addresses are not verified, so an administrator still activates each account.",
  },
  {
    value: "activation",
    label: "Anyone, after activation",
    description: "Until an administrator activates them, users can only use their profile and personal vault.",
  },
  {
    value: "open",
    label: "Anyone, immediately (trial)",
    description:
      "Anyone who can reach this server gets an active account, can create safes and can make the server connect to other hosts. Not for production.",
  },
];

export const domainsIn = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,;]+/)
      .map((part) => part.replace(/^@/, ""))
      .filter((part) => part !== ""),
  ),
];

export interface SignUpRuleFieldsProps {
  value: SignUpChoice;
  onChange: (change: Partial<SignUpChoice>) => void;
  /** The validation error of the domains. */
  error?: ReactNode;
}

export function SignUpRuleFields({ value, onChange, error }: SignUpRuleFieldsProps) {
  return (
    <Stack gap="xs">
      <RadioChoices
        label="Who can sign up"
        choices={CHOICES}
        value={value.sign_up}
        onChange={(rule) => onChange({ sign_up: rule as SignUpChoice["sign_up"] })}
      />
      {value.sign_up === "domains" && (
        <TextInput
          label="Email domains"
          description="Separated by commas, such as example.com. Subdomains are not included"
          spellCheck={false}
          maxLength={5000}
          value={value.sign_up_domains}
          onChange={(event) => onChange({ sign_up_domains: event.currentTarget.value })}
          error={error}
        />
      )}
    </Stack>
  );
}
