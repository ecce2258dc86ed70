// Test factory for platforms, as the server returns them.
import type { Platform } from "@strongroom/contract";

const AT = "2026-11-20T10:00:00.000Z";
let count = 0;

/** Each call returns a platform with a new id. */
export function aPlatform(given: Partial<Platform> = {}): Platform {
  return {
    id: `88888888-8888-4888-8888-${String((count += 1)).padStart(12, "0")}` as Platform["id"],
    name: "Linux servers",
    description: null,
    system_type: "Linux",
    connection_method: "SSH",
    is_active: true,
    verify_every_hours: 24,
    rotate_every_days: 90,
    rotate_automatically: true,
    rotation_window: null,
    rotation_jitter_minutes: 60,
    rotate_as: "account",
    rotation_notice_days: 14,
    password_rules: {
      length: 24,
      max_length: 128,
      min_lowercase: 1,
      min_uppercase: 1,
      min_digits: 1,
      min_symbols: 1,
      symbols: "!#%+",
      forbidden_characters: "",
      begins_with_letter: true,
      history: 10,
    },
    reconcile_account_id: null,
    reconcile_hosts: [],
    reconcile_safe_ids: [],
    exclusive_check_out: false,
    access_until_rotated: "blocked",
    rotate_after_check_in: true,
    one_time_password: false,
    approvals_level_1: 0,
    approvals_level_2: 0,
    approve_extensions: true,
    reason_required: true,
    ticket_required: false,
    default_duration_minutes: 60,
    max_duration_minutes: 480,
    session_recording_required: false,
    session_recording_days: null,
    session_idle_minutes: null,
    session_needs_watcher: false,
    session_hides_watchers: false,
    session_zone: null,
    session_from_hour: null,
    session_to_hour: null,
    is_production: false,
    reconcile_readiness: null,
    account_count: 0,
    created_at: AT,
    updated_at: AT,
    ...given,
  };
}
