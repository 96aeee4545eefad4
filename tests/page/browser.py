# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium, spoken to by the Chrome DevTools Protocol over a pipe.

What pages do wrong is kept: messages on the console, broken policies, exceptions, and all requests.
"""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

TIMEOUT_SECONDS = 60


def find_chromium():
    return next((found for name in ("chromium", "chromium-browser", "google-chrome")
                 if (found := shutil.which(name))), None)


class Browser:
    """To be used in a with statement."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(prefix="dsm-chromium-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def place_pipes():
            # The protocol is on descriptors 3 and 4; the copies must not be in each other's way.
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder.name}", "about:blank"],
            preexec_fn=place_pipes, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.last_id = 0
        self.session = None
        self.events = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.output)
        os.close(self.input)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)  # its own session: it and its children
            self.process.wait()
        for _ in range(50):  # its children may still be writing
            try:
                self.folder.cleanup()
                break
            except OSError:
                time.sleep(0.1)

    def receive(self):
        """The next message."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.input], [], [], TIMEOUT_SECONDS)
            piece = os.read(self.input, 1 << 20) if ready else b""
            if not piece:
                raise RuntimeError("the browser does not answer")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        """The result of a method of the protocol; events meanwhile are kept."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def open(self, path):
        """Opens a file, and waits until it is there."""
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait_for("Page.loadEventFired")

    def evaluate(self, expression):
        """The value of an expression of JavaScript in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def press(self, key, code, character=""):
        """A key, down and up."""
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=character, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def prefer(self, scheme, media=""):
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def picture(self, path, clip=None):
        """A PNG of the page, or of x, y, width and height of it."""
        options = {"format": "png", "captureBeyondViewport": True}
        if clip is not None:
            options["clip"] = {**dict(zip(("x", "y", "width", "height"), clip)), "scale": 1}
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", **options)["data"]))

    def print(self):
        """The page as a PDF: bytes."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True,
                                          printBackground=True)["data"])

    def complaints(self):
        """What the console says, exceptions, and broken policies."""
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.consoleAPICalled":
                found.append(f"console.{parameters['type']}: "
                             f"{[item.get('value') for item in parameters['args']]}")
            elif event.get("method") == "Runtime.exceptionThrown":
                found.append(f"exception: {parameters['exceptionDetails']}")
            elif event.get("method") == "Log.entryAdded":
                found.append(f"log: {parameters['entry']['level']}: {parameters['entry']['text']}")
        return found

    def requests(self):
        """Addresses that the page asked for, the page's own among them."""
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]
