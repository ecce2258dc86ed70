// The user's own data: name, email, role, creation date and sign-in method.
import { Button, TextInput } from "@mantine/core";
import type { OwnProfile } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, useEffect, useRef } from "react";
import { capitalised } from "#shared/format/text.ts";
import { Facts } from "#shared/ui/facts.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { PersonName } from "@strongroom/contract";
import { z } from "zod";
import { firstObjections } from "#shared/api/field-errors.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { Form } from "#shared/ui/form.tsx";
import { toast } from "#shared/ui/toast.ts";
import { ownProfile, renaming } from "./profile.queries.ts";

const SIGNED_IN_BY: Record<OwnProfile["signed_in_by"], string> = {
  password: "Password",
  passkey: "Passkey",
  oidc: "Single sign-on",
  ldap: "Directory",
  "ssh-key": "SSH key",
};

export function ProfileCard() {
  const profile = useQuery(ownProfile);
  const [isNaming, setIsNaming] = useState(false);
  return (
    <SectionCard
      title="Your Details"
      description="Only an administrator can change your role. A new role takes effect at your next sign-in."
      actions={
        profile.data !== undefined &&
        !isNaming && (
          <Button variant="default" size="compact-md" onClick={() => setIsNaming(true)}>
            Change Name
          </Button>
        )
      }
    >
      <Loaded query={profile} loadingText="Loading your profile...">
        {(you) =>
          isNaming ? (
            <NameForm name={you.name} onDone={() => setIsNaming(false)} />
          ) : (
            <Facts
              facts={[
                { name: "Name", value: you.name },
                { name: "Email", value: you.email },
                { name: "Role", value: capitalised(you.role) },
                { name: "Signed in with", value: SIGNED_IN_BY[you.signed_in_by] },
                { name: "Member since", value: <RelativeTime moment={you.created_at} /> },
              ]}
            />
          )
        }
      </Loaded>
    </SectionCard>
  );
}

function NameForm({ name, onDone }: { name: string; onDone: () => void }) {
  const { mutateAsync: rename } = useMutation(renaming(useQueryClient()));
  const ref = useRef<HTMLInputElement>(null);
  // Moves the focus to the field, because the button that opened the form is gone.
  useEffect(() => ref.current?.focus(), []);
  return (
    <Form
      label="Change name"
      initial={{ name }}
      check={(values) => firstObjections(z.object({ name: PersonName }), values)}
      failureText="Failed to change your name"
      submitLabel="Save Name"
      onCancel={onDone}
      onSubmit={async (values, isHere) => {
        await rename(values.name);
        toast.success("Name changed");
        if (isHere()) onDone();
      }}
      maxWidth="24rem"
    >
      {(form) => (
        <TextInput label="Name" maxLength={100} autoComplete="name" ref={ref} {...form.getInputProps("name")} />
      )}
    </Form>
  );
}
