// The form that invites a user: email, role, and whether the link is emailed or handed over.
import { Select, TextInput } from "@mantine/core";
import { ROLES, inviteUser } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { fieldErrorsOf, firstObjections } from "#shared/api/field-errors.ts";
import { capitalised } from "#shared/format/text.ts";
import { Form } from "#shared/ui/form.tsx";
import { toast } from "#shared/ui/toast.ts";
import { signInPageFacts, invite } from "../users.queries.ts";
import type { IssuedLink } from "./issued-link-note.tsx";

interface Values {
  email: string;
  name: string;
  role: (typeof ROLES)[number];
  by: "mail" | "link";
}

const FIELDS = ["email", "name", "role", "by"] as const;
const isField = (path: string): path is keyof Values => FIELDS.some((field) => field === path);

/** An empty name defaults to the part of the email before the "@". */
const bodyOf = ({ name, ...rest }: Values) => ({ ...rest, ...(name.trim() === "" ? {} : { name }) });

const check = (values: Values) => firstObjections<keyof Values>(inviteUser.body!, bodyOf(values));

export interface InviteUserFormProps {
  /** The link to hand over, or null when it was emailed. */
  onDone: (issued: IssuedLink | null) => void;
  onCancel: () => void;
}

export default function InviteUserForm({ onDone, onCancel }: InviteUserFormProps) {
  const entrance = useQuery(signInPageFacts);
  const hasMail = entrance.data?.mail_configured === true;
  if (entrance.isPending) return null;
  const submit = async (values: Values): Promise<void> => {
    const { user, link, expires_at: expiresAt } = await invite(bodyOf(values));
    toast.success(link === null ? `Invitation sent to ${user.email}` : `${user.name} invited`);
    onDone(link === null ? null : { email: user.email, link, expiresAt, isInvitation: true });
  };
  return (
    <Form<Values>
      initial={{ email: "", name: "", role: "user", by: hasMail ? "mail" : "link" }}
      check={check}
      objectionsIn={(error) => fieldErrorsOf(error, isField)}
      submitLabel="Invite"
      failureText="Failed to invite the user"
      onCancel={onCancel}
      onSubmit={submit}
    >
      {(form) => (
        <>
          <TextInput label="Email" type="email" required data-autofocus {...form.getInputProps("email")} />
          <TextInput
            label="Name"
            placeholder="Default: the part of the email before the @"
            maxLength={100}
            {...form.getInputProps("name")}
          />
          <Select
            label="Role"
            required
            allowDeselect={false}
            data={ROLES.map((value) => ({ value, label: capitalised(value) }))}
            {...form.getInputProps("role")}
          />
          <Select
            label="Invitation delivery"
            required
            allowDeselect={false}
            disabled={!hasMail}
            description={hasMail ? undefined : "No mail server is configured, so you must share the link yourself"}
            data={[
              { value: "mail", label: "By email", disabled: !hasMail },
              { value: "link", label: "I share the link myself" },
            ]}
            {...form.getInputProps("by")}
          />
        </>
      )}
    </Form>
  );
}
