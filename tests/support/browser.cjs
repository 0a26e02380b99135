// A headless Chromium that does what lines of JSON on stdin say, and answers each with a line of JSON.
const [, , library, program] = process.argv;
const { chromium } = require(library);
const { createInterface } = require("node:readline");

(async () => {
  const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu"] });
  let page, said, asked;
  const doing = {
    async open({ url, width, height }) {
      if (page) await page.close();
      page = await browser.newPage({ viewport: { width, height } });
      said = [];
      asked = [];
      page.on("console", (message) => said.push(message.text()));
      page.on("pageerror", (error) => said.push(String(error)));
      page.on("request", (request) => asked.push(request.url()));
      await page.goto(url);
    },
    evaluate: ({ code }) => page.evaluate(code),
    press: ({ key }) => page.keyboard.press(key),
    focus: ({ spot }) => page.locator(spot).first().focus(),
    hover: ({ x, y }) => page.mouse.move(x, y),
    click: ({ spot }) => page.locator(spot).first().click(),
    shot: ({ path }) => page.screenshot({ path, fullPage: true }).then(() => null),
    said: () => said,
    asked: () => asked,
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { what, ...how } = JSON.parse(line);
    try {
      console.log(JSON.stringify({ value: (await doing[what](how)) ?? null }));
    } catch (error) {
      console.log(JSON.stringify({ error: String(error) }));
    }
  }
  await browser.close();
})();
