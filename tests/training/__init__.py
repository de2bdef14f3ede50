"""How the three small networks of the eye are trained, on boards that the drawer draws; only this needs PyTorch."""
