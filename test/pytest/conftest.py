import os

# What this run is started with is not what the tests are about.
for name in ("UNDERSTUDY_ADMIN_URL", "UNDERSTUDY_ADMIN_KEY", "UNDERSTUDY_KEEP"):
    os.environ.pop(name, None)
