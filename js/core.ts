// All of the package as an entry of the build, beside the main one: what two entries share goes to files of its own,
// of which bundlers take what is used. It is not for users.
export * from "./index.ts";
