/** How to start Debian's Chromium, also as root, and without calls to anybody. */
export const CHROMIUM = {
  executablePath: "/usr/bin/chromium",
  args: [
    ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
    ...["--disable-background-networking", "--disable-component-update"],
  ],
};
