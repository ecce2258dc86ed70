// "What would change if…": describes a change and previews the access gained and lost, without saving anything.
import { NumberInput, Select } from "@mantine/core";
import { ACCESS_LEVELS, GROUP_KINDS, ROLES, SAFE_ROLES, SAFE_ROLE_LABELS, SAFE_STATUSES } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ChangePreview } from "#shared/access-preview/change-preview.tsx";
import { capitalised } from "#shared/format/text.ts";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { membersOf, platforms } from "../access-control.queries.ts";
import { ROLE_LABELS } from "../access-labels.ts";
import { GroupField, PrincipalField, SafeField, type FieldProps } from "../choice-fields.tsx";
import {
  EMPTY_CHANGE,
  FIELDS,
  KIND_LABELS,
  changeOf,
  kindsFor,
  withPlatform,
  type ChangeKind,
  type ChangeValues,
  type Field,
} from "./change-form-values.ts";
import classes from "../access-control.module.css";

const READY_MADE = SAFE_ROLES.filter((role) => role !== "custom");

export function ChangeTab({ isAdmin }: { isAdmin: boolean }) {
  const [kind, setKind] = useState<ChangeKind>("member-added");
  const [values, setValues] = useState(EMPTY_CHANGE);
  const kinds = kindsFor(isAdmin);
  const has = (field: Field) => FIELDS[kind].includes(field);
  const set = (part: Partial<ChangeValues>) => setValues((before) => ({ ...before, ...part }));
  return (
    <SectionCard
      title="Preview a Change"
      description="Shows who would gain or lose which permissions, and on how many accounts. A preview changes nothing, but it is recorded in the audit trail."
    >
      <div className={classes.form}>
        <Select
          label="Change"
          data={kinds.map((value) => ({ value, label: KIND_LABELS[value] }))}
          value={kind}
          allowDeselect={false}
          onChange={(next) => next !== null && setKind(next)}
        />
        <div className={classes.fields} key={kind}>
          {has("safe") && <SafeField onChange={(safe) => set({ safe, member: "" })} />}
          {has("member") && (
            <MemberField
              key={values.safe}
              safe={values.safe}
              value={values.member}
              onChange={(member) => set({ member })}
            />
          )}
          {has("who") && <PrincipalField label="User or group" onChange={(who) => set({ who })} />}
          {has("group") && <GroupField onChange={(group) => set({ group })} />}
          {has("person") && (
            <PrincipalField label="Person" onlyPeople onChange={(who) => set({ person: who.replace(/^user:/, "") })} />
          )}
          {has("safeRole") && (
            <Select
              label="Role in the safe"
              data={READY_MADE.map((value) => ({ value, label: SAFE_ROLE_LABELS[value] }))}
              value={values.safeRole}
              allowDeselect={false}
              onChange={(next) => next !== null && set({ safeRole: next })}
            />
          )}
          {has("safeState") && <SafeStateFields values={values} onChange={set} />}
          {has("groupKind") && (
            <Select
              label="New kind"
              data={GROUP_KINDS.map((value) => ({ value, label: capitalised(value) }))}
              value={values.groupKind}
              allowDeselect={false}
              onChange={(next) => next !== null && set({ groupKind: next })}
            />
          )}
          {has("role") && (
            <Select
              label="New role"
              data={ROLES.map((value) => ({ value, label: ROLE_LABELS[value] }))}
              value={values.role}
              allowDeselect={false}
              onChange={(next) => next !== null && set({ role: next })}
            />
          )}
          {has("platform") && <PlatformFields values={values} onChange={setValues} />}
        </div>
        <ChangePreview change={changeOf(kind, values)} isMain />
      </div>
    </SectionCard>
  );
}

const AS_IT_IS = "Unchanged";

interface SafeStateFieldsProps {
  values: ChangeValues;
  onChange: (part: Partial<ChangeValues>) => void;
}

function SafeStateFields({ values: { level, status }, onChange }: SafeStateFieldsProps) {
  return (
    <>
      <Select
        label="New access level"
        placeholder={AS_IT_IS}
        clearable
        data={ACCESS_LEVELS.map((value) => ({ value, label: capitalised(value) }))}
        value={level}
        onChange={(next) => onChange({ level: next })}
      />
      <Select
        label="New status"
        placeholder={AS_IT_IS}
        clearable
        data={SAFE_STATUSES.map((value) => ({ value, label: capitalised(value) }))}
        value={status}
        onChange={(next) => onChange({ status: next })}
      />
    </>
  );
}

function MemberField({ safe, value, onChange }: FieldProps & { safe: string; value: string }) {
  const members = useQuery({ ...membersOf(safe), enabled: safe !== "" });
  const data = (members.data?.members ?? []).map(({ id, name, role }) => ({
    value: id,
    label: `${name} (${SAFE_ROLE_LABELS[role]})`,
  }));
  return (
    <Select
      label="Member"
      placeholder={safe === "" ? "Choose a safe first" : "Choose a member"}
      searchable
      disabled={safe === ""}
      data={data}
      value={value === "" ? null : value}
      nothingFoundMessage={members.isPending ? "Loading..." : "No matching member"}
      onChange={(next) => onChange(next ?? "")}
    />
  );
}

interface PlatformFieldsProps {
  values: ChangeValues;
  onChange: (values: ChangeValues) => void;
}

const MOST_APPROVALS = 10;

function PlatformFields({ values, onChange }: PlatformFieldsProps) {
  const list = useQuery(platforms);
  const found = list.data?.platforms ?? [];
  const level = (label: string, part: "level1" | "level2") => (
    <NumberInput
      label={label}
      min={0}
      max={MOST_APPROVALS}
      allowDecimal={false}
      value={values[part]}
      disabled={part === "level2" && values.level1 === 0}
      onChange={(next) => onChange({ ...values, [part]: typeof next === "number" ? next : 0 })}
    />
  );
  return (
    <>
      <Select
        label="Platform"
        placeholder="Choose a platform"
        searchable
        data={found.map(({ id, name }) => ({ value: id, label: name }))}
        value={values.platform === "" ? null : values.platform}
        nothingFoundMessage={list.isPending ? "Loading..." : "No matching platform"}
        onChange={(next) =>
          onChange(
            withPlatform(
              values,
              found.find(({ id }) => id === next),
            ),
          )
        }
      />
      {level("Approvals at level 1", "level1")}
      {level("Approvals at level 2", "level2")}
    </>
  );
}
