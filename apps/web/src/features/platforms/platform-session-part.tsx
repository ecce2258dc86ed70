// The part of the platform form about sessions: who watches, what users can run, how long sessions stay idle, and what
// counts as a risk.
import { Select, SimpleGrid, TextInput } from "@mantine/core";
import { Choice, Count, Part, type PlatformFormControl } from "./platform-fields.tsx";

export function SessionPart({ form }: { form: PlatformFormControl }) {
  return (
    <Part title="Sessions" description="Rules for connections through a gateway. Every session is recorded.">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        <Count
          form={form}
          field="session_idle_minutes"
          label="End idle sessions after"
          unit="minutes"
          description="Without input from the user. Empty: never"
        />
        <Count
          form={form}
          field="session_recording_days"
          label="Keep recordings for"
          unit="days"
          description="Applies to existing recordings too. Empty: forever"
        />
        <TextInput
          label="Gateway zone"
          description="Only gateways of this zone open sessions. Empty: every gateway"
          maxLength={60}
          inputWrapperOrder={["label", "input", "error", "description"]}
          {...form.getInputProps("session_zone")}
        />
        <Count
          form={form}
          field="session_from_hour"
          label="Usual hours from"
          unit="h UTC"
          description="Monday to Friday. Other times raise the risk. Empty: no usual hours"
        />
        <Count form={form} field="session_to_hour" label="Usual hours to" unit="h UTC" description="Such as 7 to 19" />
      </SimpleGrid>
      <Select
        label="Gateways log in with"
        description="Targets must trust the SSH user CA (Admin Console, SSH CA). The stored secret is then not used."
        inputWrapperOrder={["label", "input", "error", "description"]}
        data={[
          { value: "secret", label: "The account's secret" },
          { value: "certificate", label: "A short-lived certificate" },
        ]}
        allowDeselect={false}
        {...form.getInputProps("session_login")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        <Choice
          form={form}
          field="session_needs_watcher"
          label="Four eyes"
          description="A session pauses whenever no other user watches it."
        />
        <Choice
          form={form}
          field="session_hides_watchers"
          label="Hide watchers"
          description="Users do not see that their session is watched."
        />
        <Choice
          form={form}
          field="session_records_input"
          label="Record input"
          description="Users see a notice. Text that the screen does not show, such as a password, is masked."
        />
        <Choice
          form={form}
          field="session_allows_shell"
          label="Allow shells"
          description="Needed for sessions in the browser."
        />
        <Choice
          form={form}
          field="session_allows_exec"
          label="Allow single commands"
          description="For native clients, such as ssh with a command."
        />
        <Choice
          form={form}
          field="session_allows_sftp"
          label="Allow SFTP"
          description="For native clients, and Files in the browser. Shells and commands can move files too."
        />
        <Choice
          form={form}
          field="session_allows_forward"
          label="Allow port forwarding"
          description="Native clients reach other hosts through the target, within the network policy."
        />
        <Choice
          form={form}
          field="session_allows_agent"
          label="Allow agent forwarding"
          description="The target can use the keys of a native client's SSH agent during a session."
        />
        <Choice form={form} field="is_production" label="Production" description="Raises the risk level of sessions." />
      </SimpleGrid>
    </Part>
  );
}
