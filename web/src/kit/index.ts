// All of the kit in one import.
export * from "./chart";
export * from "./code";
export * from "./dom";
export * from "./figure";
export * from "./hover";
export * from "./legend";
export * from "./marks";
export * from "./numbers";
export * from "./plot";
export * from "./ramp";
export * from "./scale";
export * from "./table";
export * from "./theme";
export * from "./theme_switch";
