import { existsSync, readdirSync } from "node:fs";
import process from "node:process";
import { Failure, isOnPath, run, step } from "./command.mjs";

/** Debian packages, and how to tell that each is there. */
const isPresent = {
  bubblewrap: () => isOnPath("bwrap"),
  clang: () => isOnPath("clang++"),
  chromium: () => isOnPath("chromium"),
  "clang-format": () => isOnPath("clang-format"),
  cmake: () => isOnPath("cmake"),
  debootstrap: () => existsSync("/usr/sbin/debootstrap"),
  "firefox-esr": () => isOnPath("firefox-esr"),
  "g++": () => isOnPath("g++"),
  "libclang-rt-dev": () =>
    existsSync("/usr/lib/clang") && readdirSync("/usr/lib/clang").some(hasRuntimeOfFuzzers),
  "libgtest-dev": () => existsSync("/usr/include/gtest/gtest.h"),
  // It brings WebKit, and a browser with it.
  "libwebkit2gtk-4.1-0": () => existsSync("/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"),
  "ninja-build": () => isOnPath("ninja"),
  "redis-server": () => isOnPath("redis-server"),
  xvfb: () => isOnPath("Xvfb"),
};

/** @param {string} version of Clang */
function hasRuntimeOfFuzzers(version) {
  return existsSync(`/usr/lib/clang/${version}/lib/linux/libclang_rt.fuzzer-x86_64.a`);
}

/**
 * Installs those of the named Debian packages that are missing.
 *
 * @param {readonly (keyof typeof isPresent)[]} names
 */
export async function needHostPackages(names) {
  const missing = names.filter((name) => !isPresent[name]());
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || !isOnPath("apt-get")) {
    throw new Failure(
      `These are missing: ${missing.join(", ")} (names of Debian packages).\n` +
        `   Install them, or run this command as root on Debian, where it installs them itself.`,
    );
  }
  await step(`Debian packages: ${missing.join(", ")}`, async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    await run("apt-get", ["update"], { quiet: true, env });
    await run("apt-get", ["install", "-y", "--no-install-recommends", ...missing], { quiet: true, env });
  });
}
