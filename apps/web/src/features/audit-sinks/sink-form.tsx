// The form of an audit sink: content, destination and authentication.
import { NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { AUDIT_SINK_FORMATS, AUDIT_SINK_KINDS, type AuditSink, type AuditSinkKind } from "@strongroom/contract";
import { Form } from "#shared/ui/form.tsx";
import type { FormInDialog } from "#shared/ui/form-dialog.tsx";
import { Pem, SecretInput, type SinkForm as SinkFormControl } from "./sink-fields.tsx";
import { asKind, checkSink, objectionsTo, type SinkFormValues } from "./sink-form-values.ts";
import { FORMAT_LABELS, KIND_LABELS } from "./sink-labels.ts";

export interface SinkFormProps extends FormInDialog<SinkFormValues> {
  /** The stored sink; null for a new one. */
  sink: AuditSink | null;
  /** The server's folder for file sinks. */
  folder: string;
}

const KINDS = AUDIT_SINK_KINDS.map((value) => ({ value, label: KIND_LABELS[value] }));
const FORMATS = AUDIT_SINK_FORMATS.map((value) => ({ value, label: FORMAT_LABELS[value] }));

export default function SinkForm({ sink, folder, ...props }: SinkFormProps) {
  return (
    <Form
      {...props}
      check={(values) => checkSink(values, sink === null)}
      objectionsIn={(error) => objectionsTo(sink?.config.kind ?? "http", error)}
    >
      {(form) => (
        <Stack gap="sm">
          <About form={form} sink={sink} />
          {form.values.kind === "syslog" && <Syslog form={form} sink={sink} />}
          {form.values.kind === "http" && <WebHook form={form} sink={sink} />}
          {form.values.kind === "file" && <File form={form} folder={folder} />}
          {form.values.kind === "witness" && <Witness form={form} />}
        </Stack>
      )}
    </Form>
  );
}

function About({ form, sink }: { form: SinkFormControl; sink: AuditSink | null }) {
  const { kind, content } = form.values;
  const isNew = sink === null;
  return (
    <>
      <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        <NativeSelect
          label="Kind"
          data={KINDS}
          disabled={!isNew}
          value={kind}
          onChange={(event) => form.setValues(asKind(form.values, event.currentTarget.value as AuditSinkKind))}
        />
        <NativeSelect
          label="Content"
          data={[
            { value: "entries", label: "Every audit entry" },
            { value: "checkpoints", label: "Signed checkpoints" },
          ]}
          disabled={!isNew || kind === "witness" || kind === "syslog"}
          {...form.getInputProps("content")}
        />
        {content === "entries" ? (
          <NativeSelect label="Format" data={FORMATS} {...form.getInputProps("format")} />
        ) : (
          <TextInput
            type="number"
            inputMode="numeric"
            label="Interval in seconds"
            min={1}
            max={86_400}
            {...form.getInputProps("every_seconds")}
          />
        )}
        {isNew && content === "entries" && (
          <NativeSelect
            label="Start"
            data={[
              { value: "beginning", label: "From the first entry" },
              { value: "now", label: "From now on" },
            ]}
            {...form.getInputProps("starts")}
          />
        )}
      </SimpleGrid>
    </>
  );
}

function Syslog({ form, sink }: { form: SinkFormControl; sink: AuditSink | null }) {
  const isTls = form.values.transport === "tls";
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md" verticalSpacing="sm">
        <TextInput label="Host" required spellCheck={false} {...form.getInputProps("host")} />
        <TextInput type="number" inputMode="numeric" label="Port" required min={1} {...form.getInputProps("port")} />
        <NativeSelect
          label="Transport"
          data={[
            { value: "tls", label: "TLS" },
            { value: "tcp", label: "TCP, unencrypted" },
          ]}
          description={isTls ? undefined : "Anyone on the network path can read and change the entries."}
          inputWrapperOrder={["label", "input", "error", "description"]}
          {...form.getInputProps("transport")}
        />
      </SimpleGrid>
      {isTls && (
        <>
          <Pem
            form={form}
            field="ca"
            label="CA certificate"
            description="Leave empty to use the system's trusted CAs"
          />
          <TextInput
            label="Server name"
            description="If the certificate is not issued for the host"
            spellCheck={false}
            {...form.getInputProps("server_name")}
          />
          <Pem
            form={form}
            field="client_certificate"
            label="Client certificate"
            description="For a server that requires client authentication"
          />
          <SecretInput
            form={form}
            field="client_key"
            label="Client certificate's private key"
            isStored={sink?.has_client_key === true}
            isLong
          />
        </>
      )}
    </>
  );
}

function WebHook({ form, sink }: { form: SinkFormControl; sink: AuditSink | null }) {
  return (
    <>
      <TextInput label="Address" required type="url" spellCheck={false} {...form.getInputProps("url")} />
      <SecretInput
        form={form}
        field="hmac_key"
        label="Signing key"
        description="Signs each request (HMAC-SHA-256). The receiver needs it too"
        isStored={sink?.has_hmac_key === true}
        canMake
      />
      <SecretInput
        form={form}
        field="authorization"
        label="Authorization"
        description="Sent as the Authorization header, such as “Splunk …” or “Bearer …”. HTTPS only"
        isStored={sink?.has_authorization === true}
      />
      <Pem form={form} field="ca" label="CA certificate" description="Leave empty to use the system's trusted CAs" />
    </>
  );
}

function File({ form, folder }: { form: SinkFormControl; folder: string }) {
  return (
    <>
      <TextInput
        label="File name"
        required
        description={`In ${folder}`}
        spellCheck={false}
        {...form.getInputProps("file")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        <TextInput
          type="number"
          inputMode="numeric"
          label="Maximum file size in MB"
          min={1}
          {...form.getInputProps("rotate_megabytes")}
        />
        <TextInput
          type="number"
          inputMode="numeric"
          label="Old files to keep"
          min={1}
          {...form.getInputProps("keep_files")}
        />
      </SimpleGrid>
    </>
  );
}

function Witness({ form }: { form: SinkFormControl }) {
  return (
    <>
      <TextInput
        label="Address"
        required
        type="url"
        description="The URL without /add-checkpoint, such as https://other-strongroom/api/v1/audit/witness"
        spellCheck={false}
        {...form.getInputProps("url")}
      />
      <TextInput
        label="Witness key"
        required
        description="Only cosignatures by this key are accepted"
        spellCheck={false}
        {...form.getInputProps("witness_key")}
      />
      <Pem form={form} field="ca" label="CA certificate" description="Leave empty to use the system's trusted CAs" />
    </>
  );
}
