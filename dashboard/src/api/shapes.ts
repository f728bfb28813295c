/** Short names for what the API speaks of. Types come from schema.ts, and are typed nowhere else. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Attempt = Schemas["Attempt"];
export type Explanation = Schemas["Explanation"];
export type Group = Schemas["Group"];
export type History = Schemas["History"];
export type Incident = Schemas["Incident"];
export type Job = Schemas["Job"];
export type JobType = Schemas["JobType"];
export type Line = Schemas["Line"];
export type Mail = Schemas["Mail"];
export type Envelope = Schemas["Envelope"];
export type Me = Schemas["Me"];
export type Node = Schemas["Node"];
export type Progress = Schemas["Progress"];
export type Queue = Schemas["Queue"];
export type Scope = Schemas["Scope"];
export type State = Schemas["State"];
export type Submission = Schemas["Submission"];
export type User = Schemas["User"];
export type Worker = Schemas["Worker"];
export type Counts = Partial<Record<State, number>>;
