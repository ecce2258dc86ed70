// The parts of second factors that other features use.
export { FactorsCard } from "./factors-card.tsx";
